#!/usr/bin/env python3
"""Runs the parts of a test run: three at a time, since each of them waits for a good part of its time.

    parts.py [--all]

Started by Scripts/test, which has built the tests. Each part prints its output when it ends. The seconds of
all parts are listed at the end.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTING = ROOT / ".build/testing/release"
# The longest duration of a part, in seconds. Only a hang takes longer.
HANG = 2400
# The same for the parts with --all: their builds may share the processors with other work.
LONG_HANG = 7200

SWIFT = ["python3", "Tests/harness/swift_tests.py"]
# The same as `swift_build` of Scripts/lib.sh.
BUILD = ["env", "SWIFT_DETERMINISTIC_HASHING=1", "swift", "build"]

# The number of lines at the end of a part's output that are repeated if it fails.
LAST_WORDS = 30

# Rows that run side by side, each one part after the other. Most parts wait more than they compute.
ROWS = [
    {
        "Swift tests": [*SWIFT, TESTING / "tintypePackageTests.xctest"],
        "clients": ["Scripts/test-clients"],
        "runs": ["Scripts/test-reliability", "runs", "500"],
        "hostile pictures": ["Scripts/test-reliability", "poison"],
    },
    {
        "page": ["Scripts/test-page"],
        "app": ["Scripts/test-app"],
        "proxies": ["Scripts/test-proxies"],
        "monitoring": ["Scripts/test-monitoring"],
        "documents": ["Scripts/test-documents"],
    },
    {
        "crashes": ["Scripts/test-reliability", "crashes", "100"],
        "power cuts": ["Scripts/test-reliability", "power"],
        "faults of the disk": ["Scripts/test-reliability", "faults", "24"],
        "a hostile inbox": ["Scripts/test-reliability", "inbox"],
        "people": ["Scripts/test-reliability", "social", "1"],
        "WebSocket: transcripts": ["Scripts/test-websocket", "transcripts"],
        "WebSocket: checks": ["Scripts/test-websocket", "checks"],
        "WebSocket: sessions": ["Scripts/test-websocket", "sessions"],
        "WebSocket: page": ["Scripts/test-websocket", "page"],
        "WebSocket: model": ["Scripts/test-websocket", "model", "1"],
        "WebSocket: hostile": ["Scripts/test-websocket", "hostile", "2000"],
        "packages": ["Scripts/test-package"],
    },
]

# The additional parts with --all, one after the other: two builds at once would only wait for each other.
REST = {
    "more crashes": ["Scripts/test-reliability", "crashes", "600"],
    "10,000 posts on the page": ["env", "SCROLLED_POSTS=10000", "Scripts/test-page", "-s", "-k", "are_scrolled"],
    "readers that overlap": ["Scripts/test-reliability", "readers", "10"],
    "more of the WebSocket's model": ["Scripts/test-websocket", "model", "5"],
    "more connections": ["Scripts/test-websocket", "hostile", "5000"],
    "debug build": [*BUILD, "--build-tests"],
    # One of its processes may take half an hour beside other work: the decoders are many times slower.
    "Swift tests of the debug build": [
        "env", "-u", "TINTYPE", *SWIFT, ROOT / ".build/debug/tintypePackageTests.xctest", "--patience", "5400"],
    "release build": ["Scripts/test-release"],
    "the command line of the release build": [
        "env", f"TINTYPE={ROOT}/.build/release/tintype", *SWIFT, TESTING / "tintypePackageTests.xctest",
        "--only", "EndToEndTests"],
    "benchmarks' build": [*BUILD, "--package-path", "Benchmarks"],
    "fuzzers": ["Scripts/fuzz", "all", "5"],
}


class Run:
    """The parts that have ended. Methods may be called from any thread."""

    def __init__(self):
        self.lock, self.seconds, self.failed = threading.Lock(), {}, {}

    def take(self, row, patience=HANG):
        for name, command in row.items():
            self.part(name, command, patience)

    def part(self, name, command, patience):
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True)
            try:
                status = process.wait(patience)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                status = f"still ran after {patience} s"
            output.seek(0)
            text = output.read()
            with self.lock:
                self.seconds[name] = time.monotonic() - begin
                print(f"\n== {name} ({self.seconds[name]:.0f} s)\n{text}", flush=True)
                if status != 0:
                    self.failed[name] = text.splitlines()[-LAST_WORDS:]
                    print(f"✘ {name}: {status}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the debug build and the benchmarks, too")
    options = parser.parse_args()
    os.environ.update(TINTYPE=str(TESTING / "tintype"), STORE_MAKER=str(TESTING / "StoreMaker"))
    run, begin = Run(), time.monotonic()
    rows = [threading.Thread(target=run.take, args=[row]) for row in ROWS]
    for row in rows:
        row.start()
    for row in rows:
        row.join()
    if options.all:
        run.take(REST, LONG_HANG)
    print("\nseconds  part")
    for name, seconds in run.seconds.items():
        print(f"{seconds:7.0f}  {name}")
    print(f"{time.monotonic() - begin:7.0f}  all of them")
    # Repeated here, so that the end of the log shows the failures.
    for name, words in run.failed.items():
        print(f"✘ {name}", *words, sep="\n✘   ")
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
