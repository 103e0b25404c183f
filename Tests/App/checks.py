"""Checks that print a line each, and the beginning and end of a program of checks."""

import os
import pathlib
import signal
import sys
import tempfile

import networks

failures = 0


def check(what, holds, detail=""):
    global failures
    print(f"  {'ok    ' if holds else 'BROKEN'}  {what}" + ("" if holds else f": {detail}"), flush=True)
    failures += not holds


def equal(what, found, wanted):
    check(what, found == wanted, f"{found!r} instead of {wanted!r}")


def run(*trials):
    """Calls functions with a fresh folder and the networks that the command line names, and exits with the result of the checks."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]  # All requests stay within the two networks.
    kind = networks.TwoNetworks if sys.argv[1] == "two-networks" else networks.Loopback
    with tempfile.TemporaryDirectory(prefix="tintype-app-", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        tempfile.tempdir = name
        network = kind(folder)
        for trial in trials:
            trial(folder, network)
    sys.exit(1 if failures else 0)
