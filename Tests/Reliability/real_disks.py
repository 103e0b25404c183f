"""File systems that are full, without inodes, or read-only: real ones, mounted for the test. See disk_faults.py."""

import contextlib
import json
import os
import pathlib
import subprocess
import threading
import time

from fault_run import Run, verdict

from harness.service import Service
from harness.waiting import eventually


def real_disks(folder):
    """Runs all of them; where mounting is not allowed, prints so."""
    is_good = True
    for test in (reserve_of_a_small_disk, full_disk, deletion, no_inodes, read_only):
        try:
            is_good = test(folder) and is_good
        except CannotMount as problem:
            print(f"skipped: {title(test)}: {problem}", flush=True)
    return is_good


class CannotMount(Exception):
    pass


def title(test):
    return test.__doc__.splitlines()[0].rstrip(".")


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotMount(f"{' '.join(map(str, command))}: {done.stderr.strip().splitlines()[:1]}")
    return done.stdout


@contextlib.contextmanager
def mounted(folder, megabytes, *mkfs, options="loop"):
    """A separate file system: tmpfs, or, with the arguments of mkfs.ext4, a file in a loop device."""
    if os.geteuid() != 0:
        raise CannotMount("only root may mount")
    place, image = folder / "disk", folder / "disk.img"
    place.mkdir(exist_ok=True)
    if mkfs:
        with open(image, "wb") as file:
            file.truncate(megabytes << 20)
        call("mkfs.ext4", "-q", "-m", "0", *mkfs, str(image))
        call("mount", "-o", options, str(image), str(place))
    else:
        call("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place))
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)
        image.unlink(missing_ok=True)


def service_on(place, *arguments):
    run = Run(Service(os.environ["TINTYPE"], place / "Storage"), arguments=arguments)
    run.service.log = place.parent / "real.log"
    run.service.storage.mkdir(exist_ok=True)
    run.start()
    return run


def fill(place, leave):
    """Fills the free space, except for this much."""
    with open(place / "filler", "ab") as file:
        while True:
            space = os.statvfs(place)
            rest = space.f_bavail * space.f_frsize - leave
            if rest <= 0:
                return
            try:
                file.write(bytes(min(rest, 1 << 20)))
                file.flush()
            except OSError:
                return


def await_pause(run, code):
    """Waits until /readyz reports that the intake is paused, with this reason."""
    deadline, said = time.monotonic() + 20, None
    while time.monotonic() < deadline:
        status, answer = run.service.request("GET", "/readyz")
        said = json.loads(answer).get("code")
        if status == 503 and said == code:
            return
        time.sleep(0.05)
    run.unexpected.append(f"/readyz reports {said}, not {code}")


def under_load(run, *steps, pause=1.0):
    is_over = threading.Event()
    threads = run.work(is_over)
    for step in steps:
        time.sleep(pause)
        step()
    time.sleep(pause)
    is_over.set()
    for thread in threads:
        thread.join()


def end(run, name):
    run.go_on()
    check, failed = run.check()
    if run.service.stop() != 0:
        run.unexpected.append("it did not end properly")
    return verdict(name, run, check, failed)


def reserve_of_a_small_disk(folder):
    """A tmpfs with less free space than the reserve."""
    with mounted(folder, 160) as place:
        run = service_on(place, "--free-space", "20MiB")

        def refused():
            await_pause(run, "disk_full")
            status, answer = run.service.upload(run.photos.next(), "sender0", "refused")
            if (status, answer["code"]) != (507, "disk_full"):
                run.unexpected.append(f"an upload got {status} {answer}")

        under_load(run, lambda: fill(place, 10 << 20), refused, lambda: (place / "filler").unlink())
        return end(run, title(reserve_of_a_small_disk))


def full_disk(folder):
    """An ext4 that is filled to the last byte, without a reserve."""
    with mounted(folder, 200, "-b", "4096") as place:
        run = service_on(place, "--free-space", "0")

        def stay_full():
            for _ in range(20):
                fill(place, 0)
                time.sleep(0.1)
            await_pause(run, "disk_full")

        under_load(run, lambda: fill(place, 0), stay_full, lambda: (place / "filler").unlink())
        return end(run, title(full_disk))


def deletion(folder):
    """An ext4 that is filled to the last byte, on which posts are deleted."""
    with mounted(folder, 200, "-b", "4096") as place:
        run = service_on(place, "--free-space", "0")
        posts = [run.service.upload(run.photos.next(), "sender0", f"deleted{number}")[1]["post_id"] for number in range(20)]
        reserve = run.service.storage / "tree.reserve"
        eventually("the room for deletions", lambda: reserve.exists() and reserve.stat().st_size == 32 << 20)
        for post in posts:
            fill(place, 0)
            for method, expected in (("DELETE", 200), ("GET", 404)):
                status, _ = run.service.request(method, f"/v1/posts/{post}")
                if status != expected:
                    run.unexpected.append(f"{method} of {post} got {status}")
        (place / "filler").unlink()
        return end(run, title(deletion))


def no_inodes(folder):
    """An ext4 whose inodes are used up."""
    with mounted(folder, 200, "-b", "4096", "-N", "4000") as place:
        run = service_on(place, "--free-space", "0")
        names = place / "names"
        names.mkdir()

        def use_up():
            for number in range(100_000):
                try:
                    (names / str(number)).touch()
                except OSError:
                    break
            await_pause(run, "disk_full")

        def give_back():
            for path in names.iterdir():
                path.unlink()

        under_load(run, use_up, give_back)
        return end(run, title(no_inodes))


def read_only(folder):
    """An ext4 that its kernel makes read-only after an error, and a restart on it when it is whole again.

    A file system with files that are open for writing cannot be mounted read-only by hand, and one that the kernel made
    read-only stays so until it is mounted again: therefore the restart. No client writes at the very moment of the error: ext4
    (Linux 6.18) may answer an fdatasync that is underway just then with success, although nothing was written; a dozen
    lines that only call fdatasync from six threads show it.
    """
    with mounted(folder, 200, "-b", "4096", options="loop,errors=remount-ro") as place:
        run = service_on(place, "--free-space", "0")
        device = pathlib.Path(call("findmnt", "-no", "SOURCE", str(place)).strip()).name
        trigger = pathlib.Path(f"/sys/fs/ext4/{device}/trigger_fs_error")
        if not trigger.exists():
            run.service.stop()
            raise CannotMount(f"the file {trigger} does not exist")

        under_load(run)
        run.settle()
        trigger.write_text("1")
        under_load(run, lambda: await_pause(run, "read_only"))
        run.service.kill()
        call("umount", str(place))
        subprocess.run(["e2fsck", "-fy", str(folder / "disk.img")], capture_output=True, check=False)
        call("mount", "-o", "loop", str(folder / "disk.img"), str(place))
        run.start()
        return end(run, title(read_only))
