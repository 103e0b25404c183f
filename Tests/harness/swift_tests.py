#!/usr/bin/env python3
"""Runs the Swift tests of a built bundle: a few processes side by side, in each one test after the other.

All tests of a target at once would each take as long as the whole run, so that no time-out could be short. With a few at
a time each test is quick and nearly alone, and the processors have work while other tests wait.

    swift_tests.py BUNDLE [--only PATTERN] [--but PATTERN] [--side-by-side N] [--patience SECONDS]
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

# The longest duration of one process, in seconds. Only a hang takes longer.
HANG = 1500
# The number of tests in one process. More processes start more often, fewer leave a long one to the end.
TESTS_A_PROCESS = 40
# The weight of a test in targets that start services of their own; others weigh 1.
SLOW = {"EndToEndTests": 4}


def listed(bundle):
    """Returns the suites of the bundle, each with its number of tests; a test outside of suites is its own suite."""
    counts = collections.Counter()
    for kind, payload in events(bundle, "--list-tests"):
        if kind == "test" and payload["kind"] == "function":
            counts[suite(payload["id"])] += 1
    return counts


def suite(test):
    """Returns the outermost suite of a test: of `Target.Suite/Inner/name()/File.swift:1:2` it is `Target.Suite`."""
    return test.split("/")[0]


def command(bundle, stream):
    return [bundle, "--testing-library", "swift-testing", "--event-stream-output-path", stream,
            "--event-stream-version", "0"]


def events(bundle, *arguments):
    """Returns the records that a run of the bundle writes, each with its kind."""
    with tempfile.TemporaryDirectory(prefix="tintype-tests-") as folder:
        stream = f"{folder}/events"
        subprocess.run([*command(bundle, stream), *arguments], check=True, stdout=subprocess.DEVNULL)
        return read(stream)


def read(stream):
    path = pathlib.Path(stream)
    lines = path.read_text().splitlines() if path.exists() else []
    records = []
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue  # The last line of a process that was ended.
        records.append((record["kind"], record["payload"]))
    return records


def shares(counts):
    """Returns the suites in portions of one target that weigh about `TESTS_A_PROCESS`, the slow ones first."""
    portions, open_portions = [], {}
    for name, count in sorted(counts.items()):
        target = name.split(".")[0]
        portion = open_portions.get(target)
        if portion is None or portion[1] >= TESTS_A_PROCESS:
            portion = open_portions[target] = [[], 0, target in SLOW]
            portions.append(portion)
        portion[0].append(name)
        portion[1] += count * SLOW.get(target, 1)
    return [names for names, _, _ in sorted(portions, key=lambda portion: (not portion[2], -portion[1]))]


class Run:
    """The results of the processes so far. Methods may be called from any thread."""

    def __init__(self, patience):
        self.lock, self.patience = threading.Lock(), patience
        self.tests, self.failed, self.passed = [], [], 0

    def take(self, bundle, names):
        """Runs the tests of some suites in a separate process."""
        pattern = "^(" + "|".join(re.escape(name) for name in names) + ")/"
        with tempfile.TemporaryDirectory(prefix="tintype-tests-") as folder:
            stream, output = f"{folder}/events", pathlib.Path(folder) / "output"
            with output.open("w") as file:
                process = subprocess.Popen(
                    [*command(bundle, stream), "--no-parallel", "--filter", pattern], stdin=subprocess.DEVNULL,
                    stdout=file, stderr=subprocess.STDOUT)
                try:
                    status = process.wait(self.patience)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    status = f"still runs after {self.patience} s"
            self.note(names, status, read(stream), output.read_text(errors="replace"))

    def note(self, names, status, records, output):
        started, bad, ended = {}, set(), {}
        for kind, payload in records:
            if kind != "event" or not payload.get("testID", "").count("/") > 1:
                continue
            test, moment = payload["testID"], payload["instant"]["absolute"]
            if payload["kind"] == "testStarted":
                started[test] = moment
            elif payload["kind"] == "issueRecorded" and not payload["issue"]["isKnown"]:
                bad.add(test)
            elif payload["kind"] == "testEnded":
                ended[test] = moment - started[test]
        hung = set(started) - set(ended)
        with self.lock:
            self.tests += [(seconds, test) for test, seconds in ended.items()]
            self.passed += len(set(ended) - bad)
            self.failed += sorted(bad | hung)
            if status != 0 and not bad | hung:
                self.failed.append(f"{', '.join(names)}: ended with {status}")
            if status != 0:
                print(f"== {', '.join(names)}: {status}", flush=True)
                for test in sorted(hung):
                    print(f"   {test} had begun, and did not end")
                lines = [line for line in output.splitlines() if not line.startswith(("✔", "◇"))]
                print("\n".join(lines[-200:]), flush=True)

    def report(self):
        """Prints the seconds of each suite and of the slowest tests, then the failures."""
        suites = collections.defaultdict(lambda: [0, 0.0])
        for seconds, test in self.tests:
            suites[suite(test)][0] += 1
            suites[suite(test)][1] += seconds
        print("seconds  tests  suite")
        for name, (count, seconds) in sorted(suites.items(), key=lambda item: -item[1][1]):
            print(f"{seconds:7.1f}  {count:5}  {name}")
        print("seconds  the 50 slowest tests")
        for seconds, test in sorted(self.tests, reverse=True)[:50]:
            print(f"{seconds:7.1f}  {test}")
        for test in self.failed:
            print(f"✘ {test}")
        print(f"{self.passed} passed, {len(self.failed)} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--only", default="", help="a pattern of the names of suites, such as Target.Suite")
    parser.add_argument("--but", help="a pattern of the names of suites that are left out")
    parser.add_argument("--side-by-side", type=int, default=6, help="the number of processes at a time")
    parser.add_argument("--patience", type=int, default=HANG, help="the seconds after which a process counts as hanging")
    options = parser.parse_args()
    counts = {name: count for name, count in listed(options.bundle).items()
              if re.search(options.only, name) and not (options.but and re.search(options.but, name))}
    if not counts:
        sys.exit("no suite has a name that matches")
    run, start = Run(options.patience), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.side_by_side) as pool:
        for work in [pool.submit(run.take, options.bundle, names) for names in shares(counts)]:
            work.result()
    run.report()
    print(f"{time.monotonic() - start:.0f} s, {options.side_by_side} processes side by side")
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
