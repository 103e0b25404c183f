"""Measures the cost of a rethumb run: its photos a second beside `tintype photo render`, and uploads while it runs.

Throughput: `tintype photo render` creates the renditions of the same originals in its own process and keeps no record; the two take
turns. Latency: one client uploads photos, each answered when its post is published; for some seconds alone and for some seconds
beside the run, in turns; first one directly after the other, then with a pause after each, in which the run continues.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Reliability"))
from service import Connection, Service  # noqa: E402

ROUNDS = 3
TURN = 10  # seconds
PAUSE = 0.3  # seconds


def recipes(number):
    """The service's own recipes, a little smaller each time, so that no rendition exists already."""
    return [f"full={1280 - number},q90", f"medium={960 - number},q75", f"thumb={640 - number},q70", f"small={320 - number},q75",
            f"tile={160 - number},cover,q75"]


def begin_run(service, number):
    return service.json("POST", "/v1/jobs", {"kind": "rethumb", "recipes": recipes(number)})[1]["id"]


def compare_throughput(service, tintype, files, folder):
    for number in range(ROUNDS):
        options = [word for recipe in recipes(number) for word in ("--recipe", recipe)]
        start = time.monotonic()
        subprocess.run([tintype, "photo", "render", *files, "--out", folder / "out", *options], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        peer = time.monotonic() - start
        shutil.rmtree(folder / "out")
        start = time.monotonic()
        job = begin_run(service, number)
        while (state := service.job(job))["state"] == "running":
            time.sleep(0.02)
        ours = time.monotonic() - start
        if state["switched"] != state["total"] or state["state"] != "finished":
            sys.exit(f"the run ended with: {state}")
        print(f"a run, beside tintype photo render: {len(files) / ours:7.1f} and {len(files) / peer:7.1f} photos/s, "
              f"ratio {peer / ours:.3f}", flush=True)


class Uploader:
    """Uploads photos, each with different bytes."""

    def __init__(self, service, jpeg):
        self.connection, self.jpeg, self.count = Connection(str(service.socket), 60), jpeg, 0

    def upload_for(self, seconds, pause=0):
        """Returns the milliseconds of each upload, with a pause of some seconds after each."""
        times, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            self.count += 1
            photo = self.jpeg[:2] + b"\xff\xfe\x00\x06" + self.count.to_bytes(4, "big") + self.jpeg[2:]
            start = time.monotonic()
            self.connection.request("POST", "/v1/uploads?user=maria", photo, {"Content-Type": "image/jpeg"})
            answer = self.connection.getresponse()
            body = answer.read()
            times.append(1000 * (time.monotonic() - start))
            if answer.status != 201:
                sys.exit(f"an upload was answered with {answer.status}: {body}")
            time.sleep(pause)
        return times


class Run:
    """Keeps a run going beside the measurement: when one ends, the next one begins."""

    def __init__(self, service):
        self.service, self.id, self.number = service, None, 100
        self.switched = 0  # by ended runs
        self.is_over = threading.Event()

    def begin_next(self):
        self.switched = self.count()
        self.id, self.number = begin_run(self.service, self.number), self.number + 1

    def keep_going(self):
        while not self.is_over.wait(0.1):
            if self.service.job(self.id)["state"] != "running":
                self.begin_next()

    def __enter__(self):
        if self.id is None or self.service.json("POST", f"/v1/jobs/{self.id}/resume")[0] != 200:
            self.begin_next()
        self.is_over.clear()
        self.keeper = threading.Thread(target=self.keep_going)
        self.keeper.start()

    def __exit__(self, *_):
        self.is_over.set()
        self.keeper.join()
        self.service.json("POST", f"/v1/jobs/{self.id}/pause")

    def count(self):
        """The number of switched posts."""
        return self.switched + (self.service.job(self.id)["switched"] if self.id else 0)


def compare_uploads(uploader, run, pause):
    alone, beside = [], []
    before = run.count()
    for _ in range(2 * ROUNDS):
        alone += uploader.upload_for(TURN, pause)
        with run:
            time.sleep(0.5)
            beside += uploader.upload_for(TURN, pause)
    how = f"{pause} s after the one before" if pause else "directly after the one before"
    for name, of in (("p50", 50), ("p99", 99)):
        idle, busy = (statistics.quantiles(times, n=100)[of - 1] for times in (alone, beside))
        print(f"{name} of an upload {how}, beside a run and alone: {busy:7.2f} and {idle:7.2f} ms, ratio {busy / idle:.3f}"
              f"  ({len(beside)} and {len(alone)} uploads, {run.count() - before} posts of the run)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tintype", required=True)
    parser.add_argument("--photo", type=pathlib.Path, required=True)
    parser.add_argument("--storage", type=pathlib.Path, required=True, help="a folder that StoreMaker created from the photo")
    options = parser.parse_args()
    folder = options.storage.parent
    # All originals have the same name.
    (folder / "originals").mkdir()
    files = []
    for number, original in enumerate(sorted(options.storage.glob("blobs/*/*/original*"))):
        files.append(folder / "originals" / f"{number:06}.jpg")
        os.link(original, files[-1])
    service = Service(options.tintype, options.storage)
    if not service.start():
        sys.exit(f"the service did not start; see {service.log}")
    try:
        compare_throughput(service, options.tintype, files, folder)
        uploader, run = Uploader(service, options.photo.read_bytes()), Run(service)
        uploader.upload_for(3)
        for pause in (0, PAUSE):
            compare_uploads(uploader, run, pause)
    finally:
        service.stop()


if __name__ == "__main__":
    main()
