"""Sends broken and hostile pictures to the service, with good ones in between, and measures their cost.

poison_run.py [FOLDER…]    (TINTYPE names the binary)

The pictures are those of Fixtures, some bombs that are created here, and those in the folders. First they are sent one at a
time by the socket, to measure the cost of each; then all of them through the inbox, a good photo behind each.
"""

import collections
import os
import pathlib
import random
import struct
import sys
import tempfile
import time
import zlib

from checker import digest
from load import FIXTURES, Photos

from harness.service import Service

MAX_CPU_SECONDS = 10
MAX_WORKER_MEGABYTES = 512
CLOCK = os.sysconf("SC_CLK_TCK")


# Bombs: small files with large contents


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, *chunks, depth=8, color=2):
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + chunk(b"IEND", b"")


def zeros(count):
    """Returns this many zero bytes, compressed."""
    packer, packed = zlib.compressobj(9), []
    while count > 0:
        packed.append(packer.compress(bytes(min(count, 1 << 20))))
        count -= 1 << 20
    return b"".join(packed) + packer.flush()


def gif(width, height, frames):
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    frame = b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x44\x01\x00"
    return head + frame * frames + b";"


def bombs():
    yield "wide.png", png(30000, 30000, chunk(b"IDAT", zeros(1 << 20)))
    yield "gigapixel.png", png(50000, 20000, chunk(b"IDAT", zeros(20000 * 6251)), depth=1, color=0)
    yield "text.png", png(8, 8, chunk(b"zTXt", b"Comment\0\0" + zeros(256 << 20)), chunk(b"IDAT", zeros(200)))
    yield "profile.png", png(8, 8, chunk(b"iCCP", b"p\0\0" + zeros(256 << 20)), chunk(b"IDAT", zeros(200)))
    yield "chunks.png", png(8, 8, *[chunk(b"IDAT", b"")] * 300_000, chunk(b"IDAT", zeros(200)))
    yield "canvas.gif", gif(65535, 65535, 1)
    yield "frames.gif", gif(4000, 4000, 20_000)
    jpeg = (FIXTURES / "progressive-420.jpg").read_bytes()
    start = jpeg.rindex(b"\xff\xda")
    yield "scans.jpg", jpeg[:start] + jpeg[start:-2] * 1500 + b"\xff\xd9"
    yield "huge.jpg", jpeg.replace(b"\xff\xc2\x00\x11\x08" + jpeg[jpeg.index(b"\xff\xc2") + 5 :][:4],
                                   b"\xff\xc2\x00\x11\x08\xff\xdc\xff\xdc")
    loop = b"Exif\0\0MM\0*\0\0\0\x08" + struct.pack(">HHHII", 1, 0x8769, 4, 1, 8) + struct.pack(">I", 8)
    good = (FIXTURES / "baseline-420.jpg").read_bytes()
    yield "exif-loop.jpg", good[:2] + b"\xff\xe1" + struct.pack(">H", 2 + len(loop)) + loop + good[2:]
    yield "webp-canvas.webp", b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0" + b"\xff\xff\xff" * 2 + b"ALPH\0\0\0\0"


def pictures(folders):
    """Returns all pictures, by name: the bombs of this file, and those in the folders."""
    yield from bombs()
    for folder in [FIXTURES, *map(pathlib.Path, folders)]:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix not in (".json", ".md", ".py", ".txt", ".partial", "") and path.stat().st_size > 0:
                yield path.name, path.read_bytes()


# The cost of processes


def processes(parent):
    """The service and its workers."""
    found = [parent]
    for path in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:
            pass  # A thread that has ended.
    return found


def cpu_seconds(parent):
    """The costs of the service, its current workers, and its earlier ones."""
    ticks = 0
    for number, process in enumerate(processes(parent)):
        try:
            with open(f"/proc/{process}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15 if number == 0 else 13]))
        except OSError:
            pass
    return ticks / CLOCK


def megabytes(process, field):
    try:
        with open(f"/proc/{process}/status") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith(field + ":")), 0)
    except OSError:
        return 0


class Run:
    def __init__(self, binary, folder):
        self.service = Service(binary, folder / "Storage", ["--inbox-quiet", "1s"])
        self.photos = Photos("good")
        self.outcomes = collections.Counter()
        self.costs = []
        self.worker_megabytes = 0
        self.problems = []

    def start(self):
        if not self.service.start():
            raise RuntimeError(self.service.log.read_text())
        self.process = self.service.process.pid

    def one_at_a_time(self, files):
        for number, (name, data) in enumerate(files):
            before = cpu_seconds(self.process)
            status, answer = self.service.upload(data, f"hostile{number % 7}", f"key-{number}")
            self.costs.append((cpu_seconds(self.process) - before, name))
            for worker in processes(self.process)[1:]:
                self.worker_megabytes = max(self.worker_megabytes, megabytes(worker, "VmHWM"))
            if status == 201:
                self.outcomes["published"] += 1
            elif answer.get("code") and status in (413, 415, 422):
                self.outcomes[answer["code"]] += 1
            else:
                self.problems.append(f"{name} was answered with {status} {answer}")
            if not self.service.is_running:
                raise RuntimeError(f"{name} ended the service")

    def all_at_once(self, files):
        inbox = self.service.storage / "inbox"
        good, bad = set(), set()
        for number, (name, data) in enumerate(files):
            user = inbox / f"dropper{number % 5}"
            user.mkdir(parents=True, exist_ok=True)
            (user / f"{number:05}-{name}").write_bytes(data)
            bad.add(digest(data))
            photo = self.photos.next()
            (user / f"{number:05}-good.jpg").write_bytes(photo)
            good.add(digest(photo))
        self.service.settle(600)
        published = {
            digest(path.read_bytes()) for path in (self.service.storage / "blobs").rglob("original*")
        }
        self.outcomes["good ones in between"] = len(good)
        if good - published:
            self.problems.append(f"{len(good - published)} good photos of {len(good)} did not become posts")
        reasons = list((self.service.storage / "failed").rglob("*.reason.json"))
        failed = [path for path in (self.service.storage / "failed").rglob("*")
                  if path.is_file() and not path.name.endswith(".json")]
        unexplained = [path for path in failed if not any(
            reason.parent == path.parent and path.name.startswith(reason.name[: -len(".reason.json")][:100])
            for reason in reasons)]
        if unexplained:
            self.problems.append(f"no reason beside {unexplained[:3]}")
        kept = published | {digest(path.read_bytes()) for path in failed}
        kept |= {digest(path.read_bytes()) for path in (self.service.storage / "done").rglob("*") if path.is_file()}
        if bad - kept:
            self.problems.append(f"{len(bad - kept)} files are neither posts nor put aside")


def main():
    binary = os.environ["TINTYPE"]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tintype-poison-") as folder:
        files = list(pictures(sys.argv[1:]))
        random.Random(1).shuffle(files)
        run = Run(binary, pathlib.Path(folder))
        try:
            run.start()
            run.one_at_a_time(files[: len(files) // 2])
            first = megabytes(run.process, "VmRSS")
            run.one_at_a_time(files[len(files) // 2 :])
            second = megabytes(run.process, "VmRSS")
            run.all_at_once(files)
            last = megabytes(run.process, "VmRSS")
            if not run.service.is_running:
                run.problems.append("the service died")
            code = run.service.stop()
            if code != 0:
                run.problems.append(f"the service ended with {code}; see its log")
        finally:
            run.service.kill()
    worst, name = max(run.costs)
    if worst > MAX_CPU_SECONDS:
        run.problems.append(f"{name} cost {worst:.1f} s of CPU")
    if not 0 < run.worker_megabytes <= MAX_WORKER_MEGABYTES:
        run.problems.append(f"a worker had {run.worker_megabytes:.0f} MB")
    for problem in run.problems:
        print(problem)
    print(f"{'files':22} {len(files)}")
    for outcome, count in sorted(run.outcomes.items(), key=lambda item: -item[1]):
        print(f"  {outcome:20} {count}")
    print(f"{'worst CPU':22} {worst:.2f} s ({name})")
    print(f"{'largest worker':22} {run.worker_megabytes:.0f} MB")
    print(f"{'service, resident':22} {first:.0f} MB after half, {second:.0f} MB after all, {last:.0f} MB after all twice")
    print(f"{'broken':22} {len(run.problems)}")
    print(f"{'seconds':22} {time.monotonic() - began:.0f}")
    sys.exit(1 if run.problems else 0)


if __name__ == "__main__":
    main()
