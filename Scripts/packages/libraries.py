"""The shared libraries that the binary loads: their files, and the Debian packages that contain them."""

import functools
import pathlib
import re
import subprocess
import sys


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def needed(program: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the libraries that a program loads, with those that they load, by the names by which they are loaded."""
    found = {}
    for line in output("ldd", str(program)).splitlines():
        if "not found" in line:
            sys.exit(f"{program} needs a library that this machine lacks: {line.strip()}")
        if match := re.match(r"\s*(\S+) => (/\S+) ", line):
            found[match[1]] = pathlib.Path(match[2])
        elif match := re.match(r"\s*(/\S+/(ld-linux\S+)) ", line):
            found[match[2]] = pathlib.Path(match[1])
    return found


def packages(program: pathlib.Path) -> list[str]:
    """Returns the Debian packages of the libraries that the program itself names, as Depends lists them."""
    named = re.findall(r"^\s*NEEDED\s+(\S+)", output("objdump", "-p", str(program)), re.M)
    paths = needed(program)
    found = {package(paths[name]) for name in named if name in paths}
    # The versions of the C library's symbols say how old it may be; the other libraries have theirs in their names.
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", str(program)))
    oldest = max((int(major), int(minor)) for major, minor in versions)
    # The form of the list of relocations that plan_link in Scripts/linking.sh chooses; no symbol has its version.
    if "GLIBC_ABI_DT_RELR" in output("objdump", "-p", str(program)):
        oldest = max(oldest, (2, 36))
    return sorted(found - {"libc6"}) + [f"libc6 (>= {oldest[0]}.{oldest[1]})"]


@functools.cache
def package(library: pathlib.Path) -> str:
    """Returns the package that installed a library. A link to /usr may hide its path from dpkg."""
    real = library.resolve()
    for path in dict.fromkeys([library, real, *(pathlib.Path(str(path).removeprefix("/usr")) for path in (library, real))]):
        result = subprocess.run(["dpkg", "-S", str(path)], capture_output=True, text=True)
        if result.returncode == 0:
            return result.stdout.splitlines()[0].split(":")[0]
    sys.exit(f"no Debian package contains {library}; a binary for other machines has Swift's own libraries in it: run Scripts/build")
