"""Every file operation fails, with every errno of a disk: nothing acknowledged is lost, and all goes on by itself.

    Scripts/test-reliability faults           every combination
    Scripts/test-reliability faults COUNT     so many of them, evenly chosen
    Scripts/test-reliability faults real      full and read-only file systems that are mounted for it, and nothing else

A combination is an operation, a place below the Storage folder and an errno; each once, and again and again for a while. One
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
import subprocess
import sys
import tempfile
import threading
import time

from checker import Check, Ledger
from load import Photos
from service import Service

HERE = pathlib.Path(__file__).resolve().parent
OPERATIONS = [
    "open", "create", "read", "write", "fsync", "truncate", "rename", "link", "unlink", "mkdir", "fallocate", "mmap", "close",
]
PLACES = {
    "": 0, "*.part": 1, "blobs": 2, "incoming": 4, "inbox": 8, "done": 16, "tree.sqlite": 32, "-wal": 64, "-shm": 128,
    "folder": 256,
}
ERRORS = ["ENOSPC", "EDQUOT", "EIO", "EMFILE", "EACCES", "EROFS"]
# Where an operation happens. The service makes no links and allocates no space: those are there so that this stays true.
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
    """The orders of fault_shim.c: its `struct control`."""

    LAYOUT = struct.Struct("=IIIiII")

    def __init__(self, folder, storage):
        self.library, self.path, self.storage = folder / "fault_shim.so", folder / "orders", storage
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, "-O2", "-Wall", "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-o", self.library,
             HERE / "fault_shim.c", "-ldl"], check=True)
        self.path.write_bytes(bytes(4096))
        self.file = open(self.path, "r+b")
        self.memory = mmap.mmap(self.file.fileno(), 4096)

    @property
    def environment(self):
        return {
            "LD_PRELOAD": str(self.library), "TINTYPE_FAULTS": str(self.path), "TINTYPE_FAULTS_ROOT": str(self.storage)}

    def begin(self, operation, place, error, first=1, times=0):
        """`error` None: half of what is to be written is written."""
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


class Run:
    """One service, what it is given to do, and what it said."""

    def __init__(self, service, environment):
        self.service, self.environment = service, environment
        self.ledger, self.photos = Ledger(), Photos(f"faults-{random.getrandbits(32):x}")
        self.unanswered = []  # (photo, user, key) of uploads that are not acknowledged
        self.notes = {}  # key → the last value that was acknowledged
        self.lock = threading.Lock()
        self.restarts = 0
        self.unexpected = []

    def start(self):
        if not self.service.start(
                ["--inbox-quiet", "0s", "--workers", "2", "--free-space", "0"], self.environment):
            raise RuntimeError(f"the service does not start; see {self.service.log}")

    def ensure_running(self):
        if not self.service.is_running:
            self.restarts += 1
            self.service.kill()
            self.start()

    # Load

    def drop(self):
        user = f"dropper{random.randrange(2)}"
        photo = self.photos.next()
        folder = self.service.storage / "inbox" / user
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f".{self.photos.count}.tmp"
        part.write_bytes(photo)
        self.ledger.offer(photo, user, "inbox")
        part.rename(folder / f"{self.photos.count}.jpg")

    def upload(self):
        photo, user = self.photos.next(), f"sender{random.randrange(2)}"
        self.ledger.offer(photo, user, "socket")
        self.send(photo, user, f"key-{self.photos.seed}-{self.photos.count}")

    def send(self, photo, user, key):
        try:
            status, answer = self.service.upload(photo, user, key, wait=False)
        except OSError as problem:
            status, answer = 0, {"code": str(problem)}
        if status in (201, 202):
            self.ledger.acknowledge(answer.get("post_id") or answer["upload_id"], photo)
            return True
        with self.lock:
            self.unanswered.append((photo, user, key))
            if status not in (0, 500, 503, 507):
                self.unexpected.append(f"an upload got {status} {answer}")
        return False

    def note(self):
        key, value = f"n{random.randrange(100)}", random.getrandbits(40)
        with self.lock:
            try:
                status, _ = self.service.json("PUT", f"/notes/{key}.json", value)
            except OSError:
                status = 0
            if status == 200:
                self.notes[key] = {value}
            else:  # Not acknowledged: the old value, but never anything else.
                self.notes.setdefault(key, {None})

    def look(self):
        """Somebody looks at a photo."""
        try:
            status, posts = self.service.json("GET", "/v1/posts?limit=5")
            for post in posts["posts"] if status == 200 else []:
                status, data = self.service.request("GET", post["thumb_url"])
                if status == 200 and data[-2:] != b"\xff\xd9":
                    self.unexpected.append(f"{post['thumb_url']} is not whole")
        except (OSError, ValueError):
            pass  # The file could not be read to its end: the connection says so.

    def work(self, is_over):
        """Gives it something to do until the event, in a few threads at once."""
        def repeat(deed):
            while not is_over.is_set():
                deed()
                is_over.wait(random.uniform(0.02, 0.08))
        threads = [threading.Thread(target=repeat, args=[deed]) for deed in (self.drop, self.upload, self.upload, self.note, self.look)]
        for thread in threads:
            thread.start()
        return threads

    # After a fault

    def is_ready(self):
        try:
            return self.service.request("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def go_on(self):
        """All goes on by itself: it is ready again, takes what it refused, and comes to an end with everything."""
        deadline = time.monotonic() + 30
        while self.service.is_running and not self.is_ready() and time.monotonic() < deadline:
            time.sleep(0.02)
        if self.service.is_running and not self.is_ready():
            self.restarts += 1
            self.unexpected.append("it did not get ready within 30 s")
            self.service.kill()
        self.ensure_running()
        again, self.unanswered = self.unanswered, []
        for attempt in again:
            if not self.send(*attempt):
                self.unexpected.append("an upload is refused although the fault is over")

    def settle(self):
        try:
            self.service.settle(150)
        except RuntimeError as problem:
            self.unexpected.append(str(problem))

    def check(self):
        """What is lost, doubled or failed, now that all has come to an end."""
        self.settle()
        check = Check(self.service, self.ledger)
        for key, values in self.notes.items():
            status, value = self.service.json("GET", f"/notes/{key}.json")
            if status != 200 or value not in values:
                check.complain("lost", f"notes/{key} is {value}, and {values} was acknowledged")
        contents = set(self.ledger.contents)
        if contents != set(check.published):
            missing = len(contents - set(check.published))
            check.complain("lost", f"{len(check.published)} posts of {len(contents)} photos; {missing} are missing")
        failed = [path for path in (self.service.storage / "failed").rglob("*") if path.is_file()]
        return check, failed


def combinations(count):
    """What to try: all, or so many of all, evenly."""
    all_of_them = [
        (operation, place, error, way) for operation, place in TARGETS for error in ERRORS for way in (ONCE, LASTING)
    ] + [("write", place, None, LASTING) for place in ("*.part", "tree.sqlite", "-wal")]
    if count is None or count >= len(all_of_them):
        return all_of_them
    # The table has 12 ways for each place; a step that shares no factor with it meets them all.
    return [all_of_them[number * len(all_of_them) // count + number % 12] for number in range(count - 1)] + [all_of_them[-1]]


def try_one(run, faults, operation, place, error, way):
    """One fault under load. Gives how often it struck, and whether /readyz said so."""
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


def verdict(title, run, check, failed):
    print(f"{title}: {check.counts['lost'] + check.counts['halves'] + check.counts['gaps']} lost, "
          f"{check.counts['duplicates']} duplicates, {len(failed)} failed, {check.counts['orphans']} orphans, "
          f"{run.restarts} restarts needed", flush=True)
    problems = check.problems + run.unexpected + [f"{path} failed" for path in failed]
    for problem in problems[:20]:
        print(f"  {problem}")
    return not problems


def progress(text):
    print(text, file=sys.stderr, flush=True)


def main():
    choice = sys.argv[1] if len(sys.argv) > 1 else None
    count = int(choice) if choice and choice.isdigit() else None
    # A short path: a socket's has at most 107 bytes.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tt-faults-"))
    try:
        is_good = True if choice == "real" else matrix(folder, count)
        if count is None:
            from real_disks import real_disks
            is_good = real_disks(folder) and is_good
    finally:
        if not os.environ.get("KEEP"):
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
