"""Every file operation fails, with every errno of a disk: no acknowledged data is lost, and all work resumes by itself.

    Scripts/test-reliability faults           every combination
    Scripts/test-reliability faults COUNT     this many of them, evenly chosen
    Scripts/test-reliability faults real      only mounted full and read-only file systems

A combination is an operation, a path below the Storage folder and an errno; each once, and again and again for a while. One
service lives through all of them, under a library (fault_shim.c) that makes its file operations fail.
"""

import collections
import errno
import json
import mmap
import os
import pathlib
import random
import shutil
import struct
import sys
import tempfile
import threading
import time

from fault_run import Run, progress, verdict
from real_disks import real_disks
from shim import build_shim

from harness.service import Service

OPERATIONS = [
    "open", "create", "read", "write", "fsync", "truncate", "rename", "link", "unlink", "mkdir", "fallocate", "mmap", "close",
]
PLACES = {
    "": 0, "*.part": 1, "blobs": 2, "incoming": 4, "inbox": 8, "done": 16, "tree.sqlite": 32, "-wal": 64, "-shm": 128,
    "folder": 256,
}
ERRORS = ["ENOSPC", "EDQUOT", "EIO", "EMFILE", "EACCES", "EROFS"]
# The operations and their paths. The service creates no links and allocates no space: those are listed to ensure this.
TARGETS = [
    ("open", ""), ("create", "*.part"), ("create", "incoming"), ("read", "incoming"), ("read", "blobs"),
    ("read", "tree.sqlite"), ("read", "-wal"), ("write", ""), ("write", "*.part"), ("write", "blobs"),
    ("write", "tree.sqlite"), ("write", "-wal"), ("fsync", ""), ("fsync", "*.part"), ("fsync", "blobs"),
    ("fsync", "folder"), ("fsync", "done"), ("fsync", "tree.sqlite"), ("fsync", "-wal"), ("truncate", ""),
    ("rename", "blobs"), ("rename", "inbox"), ("rename", "done"), ("link", ""), ("unlink", ""), ("unlink", "*.part"),
    ("mkdir", "incoming"), ("mkdir", "blobs"), ("fallocate", ""), ("mmap", "-shm"), ("close", ""),
]
ONCE, LASTING = "once", "lasting"


class Faults:
    """The orders of fault_orders.c: its `struct control`."""

    LAYOUT = struct.Struct("=IIIiII")

    def __init__(self, folder, storage):
        self.shim, self.path, self.storage = folder / "fault_shim.so", folder / "orders", storage
        build_shim(self.shim, "fault_shim.c", "fault_orders.c")
        self.path.write_bytes(bytes(4096))
        self.file = open(self.path, "r+b")
        self.memory = mmap.mmap(self.file.fileno(), 4096)

    @property
    def environment(self):
        return {
            "LD_PRELOAD": str(self.shim), "TINTYPE_FAULTS": str(self.path), "TINTYPE_FAULTS_ROOT": str(self.storage)}

    def begin(self, operation, place, error, first=1, times=0):
        """Sets the fault; `error` None: half of the bytes are written."""
        number = getattr(errno, error) if error else 0
        self.memory[24:32] = bytes(8)
        self.memory[0:24] = self.LAYOUT.pack(
            0, OPERATIONS.index(operation), PLACES[place], number, first, times)
        self.memory[0:4] = struct.pack("=I", 1)

    def end(self):
        self.memory[0:4] = bytes(4)

    @property
    def struck(self):
        return struct.unpack_from("=I", self.memory, 28)[0]

    @property
    def calls(self):
        return struct.unpack_from(f"={len(OPERATIONS)}I", self.memory, 32)


def combinations(count):
    """Returns the combinations: all, or this many of all, evenly."""
    all_of_them = [
        (operation, place, error, way) for operation, place in TARGETS for error in ERRORS for way in (ONCE, LASTING)
    ] + [("write", place, None, LASTING) for place in ("*.part", "tree.sqlite", "-wal")]
    if count is None or count >= len(all_of_them):
        return all_of_them
    # The table has 12 ways for each path; a step that shares no factor with it reaches them all.
    return [all_of_them[number * len(all_of_them) // count + number % 12] for number in range(count - 1)] + [all_of_them[-1]]


def try_one(run, faults, operation, place, error, way):
    """Tries one fault under load. Returns how often it struck, and whether /readyz reported it."""
    is_over = threading.Event()
    first = 1 if way == LASTING else random.randrange(1, 6)
    threads = run.work(is_over)
    faults.begin(operation, place, error, first, 0 if way == LASTING else 1)
    said_so = None
    deadline = time.monotonic() + (1.5 if way == LASTING else 0.4)
    while time.monotonic() < deadline and run.service.is_running:
        time.sleep(0.05)
        if way == LASTING and said_so is None:
            try:
                status, answer = run.service.request("GET", "/readyz")
                said_so = json.loads(answer)["code"] if status == 503 else None
            except OSError:
                pass
        if said_so and time.monotonic() < deadline - 0.3:
            deadline = time.monotonic() + 0.3
    is_over.set()
    for thread in threads:
        thread.join()
    struck = faults.struck
    faults.end()
    run.go_on()
    return struck, said_so


def matrix(folder, count):
    storage = folder / "Storage"
    storage.mkdir()
    faults = Faults(folder, storage)
    service = Service(os.environ["TINTYPE"], storage)
    run = Run(service, faults.environment)
    run.start()
    chosen = combinations(count)
    table = collections.OrderedDict()
    began = time.monotonic()
    for number, (operation, place, error, way) in enumerate(chosen):
        struck, said_so = try_one(run, faults, operation, place, error, way)
        row = table.setdefault((operation, place or "anywhere"), collections.Counter())
        row["tried"] += 1
        row["struck"] += struck
        if way == LASTING and struck:
            row["lasting"] += 1
            row["said"] += said_so is not None
        if os.environ.get("VERBOSE"):
            print(f"{number + 1}/{len(chosen)} {operation} {place} {error} {way}: struck {struck}, {said_so}", flush=True)
        if number % 25 == 24:
            run.settle()
            progress(f"{number + 1} of {len(chosen)}, {len(run.ledger.contents)} photos, {run.restarts} restarts")
    check, failed = run.check()
    print(f"{'operation':10} {'place':12} {'tried':>6} {'struck':>7} {'lasting':>8} {'/readyz said so':>16}")
    for (operation, place), row in table.items():
        print(f"{operation:10} {place:12} {row['tried']:6} {row['struck']:7} {row['lasting']:8} {row['said']:16}")
    seconds = time.monotonic() - began
    print(f"calls seen: {', '.join(f'{n} {c}' for n, c in zip(OPERATIONS, faults.calls) if c)}")
    code = service.stop() if service.is_running else None
    if code != 0:
        run.unexpected.append(f"it ended with {code}")
    return verdict(
        f"{len(chosen)} combinations, {sum(row['struck'] for row in table.values())} faults struck, "
        f"{len(run.ledger.contents)} photos, {len(run.ledger.acknowledged)} uploads acknowledged, {seconds:.0f} s",
        run, check, failed)


def main():
    choice = sys.argv[1] if len(sys.argv) > 1 else None
    count = int(choice) if choice and choice.isdigit() else None
    # A short path: a socket's has at most 107 bytes.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tt-faults-"))
    try:
        is_good = True if choice == "real" else matrix(folder, count)
        if count is None:
            is_good = real_disks(folder) and is_good
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
