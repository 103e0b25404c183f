"""Builds libraries between the service and the kernel."""

import os
import pathlib
import subprocess


def build_shim(library, *sources):
    """Builds a library from C sources beside this file, for LD_PRELOAD."""
    folder = pathlib.Path(__file__).resolve().parent
    compiler = os.environ.get("CC", "clang")  # It is part of Swift's toolchain.
    subprocess.run(
        [compiler, "-O2", "-Wall", "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-o", library,
         *(folder / source for source in sources), "-ldl"], check=True)
