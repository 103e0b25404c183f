#!/usr/bin/env python3
"""A rethumb run over many posts, killed every few seconds, and rolled back, while a reader reads.

run_kills.py [POSTS]    (TINTYPE names the binary, STORE_MAKER that of StoreMaker)

All posts are rendered again by two recipes, in place of one. A reader requests posts and the files that they name, all
the time. Then the run is rolled back, under kills again. At the end each file was created once: a folder has the original,
the earlier rendition and those of the run, and nothing else.

Prints one JSON document, and exits with 1 when a read failed, a post showed renditions of two kinds at once, a photo was
rendered twice, or an audit of the bytes finds anything.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from load import FIXTURES, findings
from scale import status

from harness.service import Service

RECIPES = ["thumb=48,cover,q70", "small=32,cover,q70"]
KILLS_APART = (2.0, 5.0)
MAX_MEGABYTES = 200


class Reader(threading.Thread):
    """Requests a post, and then each file that it names, again and again; waits while the service is killed."""

    def __init__(self, service, posts):
        super().__init__(daemon=True)
        self.service, self.posts = service, posts
        self.reads, self.faults, self.shown = 0, [], [0, 0]
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.is_set():
            try:
                self.read(random.choice(self.posts))
            except OSError:
                time.sleep(0.01)

    def read(self, post_id):
        photo = self.service.json("GET", f"/posts/{post_id}/photos/0.json")[1]
        renditions = photo["renditions"]
        sides = {name: rendition["width"] for name, rendition in renditions.items()}
        if sides not in ({"thumb": 64}, {"thumb": 48, "small": 32}):
            self.faults.append(f"{post_id} shows {sides}")
        for rendition in renditions.values():
            code, data = self.service.request("GET", rendition["url"].removeprefix("http://localhost"))
            if code != 200 or len(data) != rendition["bytes"]:
                self.faults.append(f"{rendition['url']}: {code}, {len(data)} bytes")
            self.reads += 1
        self.shown["small" in renditions] += 1

    def end(self):
        self.is_over.set()
        self.join()


class Killer:
    """Kills the service every few seconds until a job has ended, and starts it again."""

    def __init__(self, service):
        self.service = service
        self.kills, self.megabytes = 0, 0

    def follow(self, job):
        """Returns the job at its end."""
        while True:
            until = time.monotonic() + random.uniform(*KILLS_APART)
            while time.monotonic() < until:
                state = self.service.job(job)
                self.megabytes = max(self.megabytes, status(self.service, "VmHWM") or 0)
                if state["state"] != "running":
                    return state
                time.sleep(0.1)
            self.service.kill()
            self.kills += 1
            if not self.service.start():
                raise RuntimeError(f"it did not start again; see {self.service.log}")


def make(storage, count):
    maker = os.environ.get("STORE_MAKER", ".build/release/StoreMaker")
    subprocess.run([maker, str(count), FIXTURES / "size-97x61.jpg", storage], check=True, stderr=subprocess.DEVNULL)


def files_of(storage):
    """Counts the folders of the blob store by their numbers of files."""
    counts = {}
    for user in os.scandir(storage / "blobs"):
        if user.is_dir() and not user.name.startswith("."):
            for folder in os.scandir(user.path):
                number = len(os.listdir(folder.path))
                counts[number] = counts.get(number, 0) + 1
    return counts


def run(service, count):
    make(service.storage, count)
    service.arguments += ["--recipe", "thumb=64,cover", "--grace-period", "30d"]
    if not service.start():
        sys.exit(f"it did not start; see {service.log}")
    posts = sorted(service.json("GET", "/posts.json?shallow=true", timeout=300)[1])
    reader, killer, result = Reader(service, posts), Killer(service), {"posts": len(posts)}
    reader.start()
    problems = []
    begin = time.monotonic()
    job = service.json("POST", "/v1/jobs", {"kind": "rethumb", "recipes": RECIPES})[1]["id"]
    ended = killer.follow(job)
    result["run_s"], result["kills"] = round(time.monotonic() - begin, 1), killer.kills
    if (ended["state"], ended["switched"], ended["failed"]) != ("finished", len(posts), 0):
        problems.append(f"the run ended with: {ended}")
    files = files_of(service.storage)
    if files != {4: len(posts)}:
        problems.append(f"a photo was rendered twice, or not at all; folders by their numbers of files: {files}")
    begin = time.monotonic()
    service.json("POST", f"/v1/jobs/{job}/rollback")
    ended = killer.follow(job)
    result["rollback_s"], result["kills_in_all"] = round(time.monotonic() - begin, 1), killer.kills
    reader.end()
    if (ended["state"], ended["failed"]) != ("rolled_back", 0):
        problems.append(f"the rollback ended with: {ended}")
    shown = service.json("GET", "/posts.json?shallow=true", timeout=300)[1]
    if len(shown) != len(posts):
        problems.append(f"{len(posts) - len(shown)} posts are lost")
    problems += findings(service, "verify", timeout=3600)[:20] + reader.faults[:20]
    if killer.megabytes > MAX_MEGABYTES:
        problems.append(f"the service held {killer.megabytes} MiB")
    result |= {"reads": reader.reads, "seen_before_and_after": reader.shown,
               "failed_reads": len(reader.faults), "peak_rss_mib": killer.megabytes, "problems": problems}
    return result


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tt-runs-"))
    service = Service(os.environ.get("TINTYPE", ".build/release/tintype"), folder / "Storage")
    try:
        result = run(service, count)
        print(json.dumps(result))
        return 1 if result["problems"] else 0
    finally:
        service.kill()
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
