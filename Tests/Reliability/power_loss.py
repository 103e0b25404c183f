"""Cuts the power: unflushed data is discarded or reordered, and no guarantee is broken.

power_loss.py [CUTS]    (TINTYPE names the binary)

The service works under load on a file system whose disk logs every write and flush (logdisk.py). The disk of a random moment
is rebuilt from the log: all writes up to the last flush before it, and of those after it a random half, some
of them torn. It is mounted, the service is started on it, and the checker checks it: all data that had been acknowledged
before that moment must exist.

To show that the method detects losses, the same is done with a service that skips its calls of fsync: the losses must be
noticed. Where mounting is not allowed, it prints so and exits with 0.
"""

import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from checker import Check, Ledger
from crash_matrix import arguments
from load import Load, Photos, backups_of, end_jobs, tintype

from harness.service import Service

HERE = pathlib.Path(__file__).resolve().parent
IMAGE_BYTES = 192 << 20
CUTS_PER_SESSION = 20
WORKS = ["drop_files", "upload", "upload", "draft", "run_jobs", "thin_out", "collect", "back_up"]


class Skipped(Exception):
    """The reason why this machine cannot run it."""


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise OSError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout.strip()


def unmount(place):
    """Unmounts a file system; its users, such as a loop device that is being detached, have some seconds."""
    for _ in range(100):
        if subprocess.run(["umount", place], capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    run("umount", "--lazy", place)


class Mounted:
    """A disk image's file system, mounted by a loop device."""

    def __init__(self, image, place):
        self.place = pathlib.Path(place)
        self.place.mkdir(exist_ok=True)
        command = ["mount", "-o", "loop,noatime", image, self.place]
        if subprocess.run(command, capture_output=True).returncode != 0:
            # A torn superblock: systems use one of its copies when they start.
            subprocess.run(["e2fsck", "-fy", image], capture_output=True)
            run(*command)

    def __enter__(self):
        return self.place

    def __exit__(self, *_):
        unmount(self.place)


class TimedLedger(Ledger):
    """Records the length of the disk's log at each answer."""

    def __init__(self, log):
        super().__init__()
        self.log, self.moments = log, {}

    def acknowledge(self, post_id, photo):
        super().acknowledge(post_id, photo)
        self.moments.setdefault(post_id, os.path.getsize(self.log))

    def at(self, moment):
        """Returns the answers until then. Deletions are not part of this run's load."""
        ledger = Ledger()
        ledger.contents = self.contents
        ledger.acknowledged = {
            post_id: content for post_id, content in self.acknowledged.items() if self.moments[post_id] <= moment
        }
        return ledger


def make_image(path):
    with open(path, "wb") as file:
        file.truncate(IMAGE_BYTES)
    run("mkfs.ext4", "-q", "-F", "-m", "0", path)


def work(binary, folder, photos, rules):
    """Runs a session of load on a logged disk. Returns the image before it, the log and the ledger."""
    base, disk, log, place = (folder / name for name in ("base.img", "disk.img", "log", "mountpoint"))
    make_image(base)
    shutil.copyfile(base, disk)
    place.touch()
    server = subprocess.Popen([sys.executable, HERE / "logdisk.py", place, disk, log])
    try:
        for _ in range(200):
            if place.stat().st_size == IMAGE_BYTES:
                break
            if server.poll() is not None:
                raise Skipped("a FUSE file system cannot be mounted here")
            time.sleep(0.02)
        ledger = TimedLedger(log)
        with Mounted(place, folder / "mnt") as root:
            service = Service(binary, root / "Storage")
            service.log = folder / "work.log"
            if not service.start(arguments(), {"TINTYPE_FAILPOINTS": rules}):
                raise RuntimeError(service.log.read_text())
            unanswered = []
            for _ in range(4):
                load = Load(service, ledger, photos, unanswered, works=WORKS)
                load.start()
                while load.is_working():
                    time.sleep(0.02)
                load.end()
                if load.halves:
                    raise RuntimeError(load.halves)
            end = os.path.getsize(log)  # The writes of unmounting are not the service's.
            service.kill()
    finally:
        if os.path.ismount(place):
            unmount(place)
        # It would only end by itself once no other mount namespace has a copy of the mount, such as a sandbox's.
        server.kill()
        server.wait()
    return base, log, end, ledger


def records(log, end):
    """Returns the log as (position, offset, length) of writes, and None for flushes, with the position behind each."""
    position, found = 0, []
    data = log.read_bytes()[:end]
    while position < len(data):
        if data[position : position + 1] == b"F":
            position += 1
            found.append((position, None))
        elif position + 17 <= len(data):
            offset, length = struct.unpack_from("<QQ", data, position + 1)
            found.append((position + 17 + length, (position + 17, offset, length)))
            position += 17 + length
        else:
            break
    return data, [record for record in found if record[0] <= len(data)]


def cut(base, data, log, number, image, chance):
    """Rebuilds the disk after a power cut behind `number` records."""
    shutil.copyfile(base, image)
    last_flush = max((index for index in range(number) if log[index][1] is None), default=-1)
    with open(image, "r+b") as file:
        for index, (_, write) in enumerate(log[:number]):
            if write is None:
                continue
            place, offset, length = write
            if index > last_flush:
                if chance.random() < 0.5:
                    continue
                if chance.random() < 0.2:  # Torn: sectors are written as a whole, writes may not be.
                    length = 512 * chance.randrange(1, max(2, length // 512))
            file.seek(offset)
            file.write(data[place : place + length])


def session(binary, folder, cuts, seed, rules=""):
    """Works, then cuts the power this many times. Returns the counts and sentences about broken guarantees."""
    folder.mkdir()
    chance = random.Random(seed)
    base, log_path, end, ledger = work(binary, folder, Photos(f"power-{seed}"), rules)
    data, log = records(log_path, end)
    problems = []
    counts = {"cuts": 0, "records": len(log), "flushes": sum(write is None for _, write in log), "acknowledged": 0}
    for number in sorted(chance.sample(range(1, len(log) + 1), min(cuts, len(log)))):
        # A separate file for each: the kernel may still hold pages of the last disk.
        image = folder / f"cut-{number}.img"
        cut(base, data, log, number, image, chance)
        counts["cuts"] += 1
        with Mounted(image, folder / "mnt") as root:
            service = Service(binary, root / "Storage")
            service.log = folder / "cut.log"
            known = ledger.at(log[number - 1][0])
            counts["acknowledged"] += len(known.acknowledged)
            try:
                if service.start(arguments()):
                    service.settle()
                    problems += check(service, known, number)
                    problems += check_backups(service, number)
                else:
                    problems.append(f"lost: after cut {number} it does not start: {service.log.read_text()[-300:]}")
            except Exception as error:
                problems.append(f"lost: cut {number}: {error!r}")
            finally:
                service.kill()
        image.unlink()
    return counts, problems


def check_backups(service, number):
    """Each existing backup is complete, however much of the next one had been written."""
    folder = pathlib.Path(backups_of(service))
    if not any(folder.glob("backups/*.json")):
        return []
    return [f"{problem} (cut {number})" for problem in tintype(service, "backup", "verify", folder)[1]]


def check(service, ledger, number):
    problems = [f"{problem} (cut {number})" for problem in end_jobs(service)]
    deadline = time.monotonic() + 5
    while True:
        found = Check(service, ledger)
        if not found.counts["orphans"] or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    # A file whose name never reached the disk was not acknowledged: only acknowledged data counts as lost.
    return problems + [f"{problem} (cut {number})" for problem in found.problems if "neither a post nor put aside" not in problem]


def main():
    cuts = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    binary = os.environ["TINTYPE"]
    seed = int(os.environ.get("SEED", time.time_ns() // 1_000_000 % 1_000_000))
    began = time.monotonic()
    totals, problems = {}, []
    with tempfile.TemporaryDirectory(prefix="tintype-power-") as folder:
        folder = pathlib.Path(folder)
        try:
            rest = cuts
            while rest > 0:
                counts, found = session(binary, folder / f"{rest}", min(rest, CUTS_PER_SESSION), seed + rest)
                totals = {name: totals.get(name, 0) + count for name, count in counts.items()}
                problems += found
                shutil.rmtree(folder / f"{rest}")
                rest -= CUTS_PER_SESSION
            rules = "before-fsync=skip@1+;before-fsync-folder=skip@1+"
            _, noticed = session(binary, folder / "skipping", min(cuts, CUTS_PER_SESSION), seed, rules)
        except (Skipped, OSError) as reason:
            if isinstance(reason, Skipped) or not may_mount():
                print(f"skipped: {reason}")
                return 0
            raise
    for problem in problems[:40]:
        print(problem)
    for name, count in totals.items():
        print(f"{name:14} {count}")
    print(f"{'broken':14} {len(problems)}")
    print(f"{'noticed':14} {len(noticed)} (with every fsync of files and folders skipped: must be more than 0)")
    print(f"{'seconds':14} {time.monotonic() - began:.0f}; seed {seed}")
    return 1 if problems or not noticed else 0


def may_mount():
    """Checks whether this machine allows mounting."""
    if os.geteuid() != 0 or not os.path.exists("/dev/fuse") or not os.path.exists("/dev/loop-control"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        image = pathlib.Path(folder) / "image"
        try:
            make_image(image)
            with Mounted(image, pathlib.Path(folder) / "mnt"):
                return True
        except OSError:
            return False


if __name__ == "__main__":
    sys.exit(main())
