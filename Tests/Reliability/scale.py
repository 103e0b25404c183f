#!/usr/bin/env python3
"""Measures starts with much work: a million files in the inbox, 100,000 that become posts, uploads that wait.

    scale.py inbox 1000000        files that may not be claimed yet: seconds until the first answer, and the memory
    scale.py posts 100000         files that wait at the start: seconds until all are posts
    scale.py pending DIR          a Storage folder with uploads that wait (see Tests/PipelineTests/PendingTests.swift)

Prints one JSON document. TINTYPE names the binary.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from checker import files_in
from hostile_inbox import photo

from harness.service import Service


def status(service, name):
    for line in pathlib.Path(f"/proc/{service.process.pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) >> 10
    return None


def cpu_seconds(service):
    fields = pathlib.Path(f"/proc/{service.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(service):
    begin = time.monotonic()
    if not service.start():
        sys.exit(f"it did not start; see {service.log}")
    return round(time.monotonic() - begin, 2)


def fill(storage, count, users, data):
    for number in range(count):
        folder = storage / "inbox" / f"user{number % users}"
        if number < users:
            folder.mkdir(parents=True)
        with open(folder / f"{number // users:07}.png", "wb", buffering=0) as file:
            file.write(data(number))


def inbox(storage, service, count):
    """Writes files that are not photos and are too fresh, again and again: the worst case for a walk."""
    fill(storage, count, 1, lambda number: b"x")
    service.arguments += ["--inbox-quiet", "24h"]
    served = start(service)
    time.sleep(20)
    memory, cpu = status(service, "VmHWM"), cpu_seconds(service)
    time.sleep(40)
    return {"served_s": served, "peak_rss_mib": memory, "cpu_s_in_20_s": round(cpu, 1),
            "cpu_s_in_the_next_40_s": round(cpu_seconds(service) - cpu, 1)}


def posts(storage, service, count):
    fill(storage, count, 10, photo)
    # One more user, whose single file must not wait for the many files of others.
    (storage / "inbox" / "zoe").mkdir()
    (storage / "inbox" / "zoe" / "only.png").write_bytes(photo("zoe"))
    service.arguments += ["--inbox-quiet", "1s"]
    served = start(service)
    begin, zoe, peak = time.monotonic(), None, 0
    while True:
        if zoe is None and (storage / "done" / "zoe" / "only.png").exists():
            zoe = round(time.monotonic() - begin, 1)
        peak = max(peak, status(service, "VmHWM") or 0)
        published = service.status()["published"]
        if published == count + 1 and not any((storage / "incoming").iterdir()):
            break
        time.sleep(0.5)
    seconds = time.monotonic() - begin
    order = service.json("GET", "/v1/people/user3/posts?limit=200")[1]["posts"]
    return {"served_s": served, "posts": published, "left": len(files_in(storage / "inbox")), "seconds": round(seconds),
            "posts_per_s": round(count / seconds), "other_user_s": zoe, "peak_rss_mib": peak, "newest_page": len(order)}


def pending(storage, service):
    service.arguments += ["--workers", "1"]
    served = start(service)
    return {"served_s": served, "waiting": service.status()["queue"], "rss_mib": status(service, "VmHWM")}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("inbox", "posts", "pending"):
        sys.exit(__doc__)
    binary = os.environ.get("TINTYPE", ".build/release/tintype")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tt-scale-"))
    storage = pathlib.Path(sys.argv[2]) if sys.argv[1] == "pending" else folder / "Storage"
    service = Service(binary, storage)
    try:
        if sys.argv[1] == "pending":
            result = pending(storage, service)
        else:
            result = {"inbox": inbox, "posts": posts}[sys.argv[1]](storage, service, int(sys.argv[2]))
        print(json.dumps({"run": sys.argv[1:], **result}))
    finally:
        service.kill()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
