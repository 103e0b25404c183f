"""A service whose disk fails for a while: its load, its acknowledged data, and the checks afterwards."""

import os
import random
import sys
import threading
import time

from checker import Check, Ledger, digest
from load import Photos, back_up, backups_of, end_jobs, findings, tintype

from harness.waiting import Hang


def sync(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Run:
    """One service, its load, and its answers."""

    def __init__(self, service, environment=None, arguments=("--free-space", "0")):
        self.service, self.environment, self.arguments = service, environment, list(arguments)
        self.ledger, self.photos = Ledger(), Photos(f"faults-{random.getrandbits(32):x}")
        self.unanswered = []  # (photo, user, key) of uploads that are not acknowledged
        self.notes = {}  # key → the last acknowledged value, and later unacknowledged ones
        self.lock = threading.Lock()
        self.doubtful = []  # files that may have been dropped
        self.restarts = 0
        self.unexpected = []

    def start(self):
        if not self.service.start(
                ["--inbox-quiet", "0s", "--workers", "2", "--grace-period", "0s"] + self.arguments, self.environment):
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
        is_moved = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            name = digest(photo)[:16]
            part = folder / f".{name}.tmp"
            with open(part, "wb") as file:
                file.write(photo)
                file.flush()
                os.fsync(file.fileno())
            part.rename(folder / f"{name}.jpg")
            is_moved = True
            self.ledger.offer(photo, user, "inbox")
            sync(folder)
        except OSError:
            # This disk is real, and fails for the test as well.
            if is_moved:
                self.doubtful.append(digest(photo))

    def upload(self):
        photo, user = self.photos.next(), f"sender{random.randrange(2)}"
        self.ledger.offer(photo, user, "socket")
        self.send(photo, user, f"key-{digest(photo)[:32]}")

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
            else:  # Not acknowledged: the old value or this one is stored, but never anything else.
                self.notes.setdefault(key, {None}).add(value)

    def look(self):
        """Reads a photo, like a viewer."""
        try:
            status, posts = self.service.json("GET", "/v1/posts?limit=5")
            for post in posts["posts"] if status == 200 else []:
                status, data = self.service.request("GET", post["thumb_url"])
                if status == 200 and data[-2:] != b"\xff\xd9":
                    self.unexpected.append(f"{post['thumb_url']} is not whole")
        except (OSError, ValueError):
            pass  # The file could not be read to its end: the connection reports it.

    def keep(self):
        """Renders again, collects garbage and makes backups, like an operator; refused actions are tried later."""
        try:
            self.service.json("POST", "/v1/jobs", {"kind": "rethumb", "recipes": [f"thumb={random.randrange(40, 60)}"]})
            findings(self.service, "gc&change=true&max_share=100")
            back_up(self.service)
        except (OSError, ValueError):
            pass

    def work(self, is_over):
        """Puts it under load until the event, in a few threads at once."""
        def repeat(deed):
            while not is_over.is_set():
                deed()
                is_over.wait(random.uniform(0.02, 0.08))
        deeds = (self.drop, self.upload, self.upload, self.note, self.look, self.keep)
        threads = [threading.Thread(target=repeat, args=[deed]) for deed in deeds]
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
        """All work resumes by itself: it is ready again, accepts refused requests, and completes everything."""
        deadline = time.monotonic() + 30
        while self.service.is_running and not self.is_ready() and time.monotonic() < deadline:
            time.sleep(0.02)
        if self.service.is_running and not self.is_ready():
            self.restarts += 1
            self.unexpected.append("it was not ready within 30 s")
            self.service.kill()
        self.ensure_running()
        again, self.unanswered = self.unanswered, []
        for attempt in again:
            if not self.send(*attempt):
                self.unexpected.append("an upload is refused although the fault is over")

    def settle(self):
        try:
            self.service.settle()
        except Hang as problem:
            self.unexpected.append(str(problem))

    def check(self):
        """Returns lost, duplicate and failed uploads, after all work has ended."""
        self.settle()
        blobs = self.service.storage / "blobs"
        there = {digest(path.read_bytes()) for path in blobs.rglob("original*")}
        for content in self.doubtful:
            if content not in there:
                del self.ledger.contents[content]
        problems = end_jobs(self.service)
        check = Check(self.service, self.ledger)
        folder = backups_of(self.service)
        problems += tintype(self.service, "backup", folder, "--storage", self.service.storage)[1]
        problems += tintype(self.service, "backup", "verify", folder)[1]
        for problem in problems:
            check.complain(*problem.split(": ", 1))
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
