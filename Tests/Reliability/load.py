"""The load on the service while it is being killed: files, uploads, drafts, photos in pieces, deletions, a batch job,
WebSockets, objects of the bucket; and readers."""

import json
import os
import pathlib
import random
import struct
import subprocess
import threading
import time
import urllib.parse

from objects import Keeper
from speakers import Speaker

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures"
# People whose originals a rule encodes again or drops, and a person with a small quota.
THINNED = ("thinned0", "thinned1")
LIMITED = "limited"


class Photos:
    """Photos that all differ: one small JPEG, with another comment in each."""

    def __init__(self, seed):
        data = (FIXTURES / "baseline-420.jpg").read_bytes()
        self.head, self.rest = data[:2], data[2:]
        self.seed, self.count, self.lock = seed, 0, threading.Lock()

    def next(self):
        with self.lock:
            self.count += 1
            comment = f"{self.seed}/{self.count}".encode()
        return self.head + b"\xff\xfe" + struct.pack(">H", 2 + len(comment)) + comment + self.rest


class Load:
    """One run's work, in threads; it ends when all is done or the service has ended."""

    WORKS = ("drop_files", "upload", "upload", "draft", "pieces", "spoil", "delete", "rethumb", "speak", "speak",
             "keep", "keep", "run_jobs", "thin_out", "fill_up", "audit", "collect", "back_up")

    def __init__(self, service, ledger, photos, unanswered, works=WORKS):
        self.service, self.ledger, self.photos = service, ledger, photos
        self.unanswered = unanswered  # (photo, user, key) of uploads without an answer: they will be sent again.
        self.is_over = threading.Event()
        self.halves = []
        self.reads = 0
        workers = [getattr(self, name) for name in works]
        readers = [self.read_at_once, self.read_at_once, self.read_in_steps, self.read_in_steps]
        self.workers = [threading.Thread(target=self.guard, args=[work], daemon=True) for work in workers]
        # These continue for as long as the others.
        self.keepers = [thread for work, thread in zip(works, self.workers) if work in ("audit", "collect", "back_up")]
        self.readers = [threading.Thread(target=self.guard, args=[read], daemon=True) for read in readers]

    def start(self):
        for thread in self.workers + self.readers:
            thread.start()

    def is_working(self):
        return any(thread.is_alive() for thread in self.workers if thread not in self.keepers)

    def end(self):
        self.is_over.set()
        for thread in self.workers + self.readers:
            thread.join()

    def guard(self, work):
        try:
            work()
        except OSError:
            pass  # The service was killed.
        except Exception as error:  # An unexpected error is a finding.
            self.halves.append(f"{work.__name__}: {error!r}")

    # Work

    def drop_files(self):
        for number in range(5):
            user = f"dropper{random.randrange(3)}"
            photo = drop(self.service.storage / "inbox" / user, self.photos, self.ledger, user)
            if number == 4:  # Once more, under another name: it creates no second post.
                drop(self.service.storage / "inbox" / user, self.photos, self.ledger, user, photo)
            time.sleep(random.uniform(0, 0.02))

    def upload(self):
        for _ in range(3):
            photo, user = self.photos.next(), f"sender{random.randrange(3)}"
            self.send(photo, user, f"key-{self.photos.seed}-{self.photos.count}-{random.getrandbits(32):x}")

    def send(self, photo, user, key):
        self.ledger.offer(photo, user, "socket")
        attempt = (photo, user, key)
        self.unanswered.append(attempt)
        status, answer = self.service.upload(photo, user, key, wait=random.random() < 0.5)
        if status in (201, 202):
            post_id = answer.get("post_id") or answer["upload_id"]
            self.ledger.acknowledge(post_id, photo)
            self.unanswered.remove(attempt)
            for _ in range(2):
                self.send_again(photo, user, key, post_id)
        elif status < 500:
            self.halves.append(f"an upload was refused: {status} {answer}")

    def send_again(self, photo, user, key, post_id):
        """Sends an acknowledged upload again with its key: it is the same post, unless that was deleted meanwhile."""
        status, answer = self.service.upload(photo, user, key)
        same = (answer.get("post_id") or answer.get("upload_id")) == post_id
        is_deleted = answer.get("code") == "deleted"
        if status < 500 and not is_deleted and not (status in (200, 201, 202) and same):
            self.halves.append(f"{post_id}, sent again with its key, was answered with {status} {answer}")

    def draft(self):
        user = "drafter"
        status, draft = self.service.json("POST", f"/v1/uploads?user={user}&draft=true")
        if status != 201:
            return
        post_id = draft["upload_id"]
        photo = self.photos.next()
        self.ledger.offer(photo, user, "socket")
        path = f"/v1/uploads/{post_id}/photos"
        if random.random() < 0.5:
            status, _ = self.service.request("POST", path, photo)
        else:
            status = self.send_draft_photo(path, photo)
        if status >= 300:
            return
        status, _ = self.service.request("POST", f"/v1/uploads/{post_id}/publish?text=a+draft")
        if status in (201, 202):
            self.ledger.acknowledge(post_id, photo)

    def send_draft_photo(self, path, photo):
        """Sends a photo of a draft in pieces; returns the last status."""
        status, fields = self.service.tus("POST", path, {"Upload-Length": str(len(photo))})
        for offset, piece in ((0, photo[:500]), (500, photo[500:])):
            if status < 300:
                path = fields.get("location", path)
                status, _ = self.service.tus("PATCH", path, {"Upload-Offset": str(offset)}, piece)
        return status

    def pieces(self):
        """Sends photos in pieces: each answered offset survives every kill, and the upload resumes from there."""
        for _ in range(3):
            with self.ledger.lock:
                upload = self.ledger.unfinished[0] if self.ledger.unfinished else None
            if upload is None:
                photo = self.photos.next()
                self.ledger.offer(photo, "piecer", "socket")
                status, fields = self.service.tus("POST", "/v1/uploads?user=piecer", {"Upload-Length": str(len(photo))})
                if status != 201:
                    return
                upload = {"path": fields["location"], "photo": photo, "told": 0}
                self.ledger.unfinished.append(upload)
            self.send_pieces(upload)

    def send_pieces(self, upload):
        photo, path = upload["photo"], upload["path"]
        status, fields = self.service.tus("HEAD", path)
        if status >= 500:
            return
        offset = int(fields.get("upload-offset", -1))
        if status != 200 or offset < upload["told"]:
            self.halves.append(f"{path} had {upload['told']} bytes, and has {offset} ({status})")
            return
        while offset < len(photo):
            piece = photo[offset : offset + random.randrange(1, 2000)]
            status, fields = self.service.tus("PATCH", path, {"Upload-Offset": str(offset)}, piece)
            if status >= 500:
                return
            if status != 204:
                self.halves.append(f"bytes for {path} at {offset} were refused: {status}")
                return
            offset = upload["told"] = int(fields["upload-offset"])
        self.ledger.acknowledge(path.rsplit("/", 1)[1], photo)
        self.ledger.unfinished.remove(upload)

    def spoil(self):
        """Sends files that are not photos: both intakes refuse them with a reason."""
        with self.photos.lock:
            self.photos.count += 1
            cut = self.photos.head + self.photos.rest[: 1500 + self.photos.count % 500]
        inbox = self.service.storage / "inbox" / "spoiler"
        inbox.mkdir(parents=True, exist_ok=True)
        (inbox / f"cut-{self.photos.seed}-{self.photos.count}.jpg").write_bytes(cut)
        status, answer = self.service.upload(cut, "spoiler", f"cut-{self.photos.seed}-{self.photos.count}")
        if status not in (415, 422):
            self.halves.append(f"a cut photo was answered with {status} {answer}")

    def delete(self):
        for _ in range(2):
            time.sleep(random.uniform(0, 0.1))
            with self.ledger.lock:
                candidates = sorted(self.ledger.acknowledged.keys() - self.ledger.maybe_deleted)
            if not candidates:
                continue
            post_id = random.choice(candidates)
            status, post = self.service.json("GET", f"/posts/{post_id}.json")
            if status != 200 or not post:
                continue
            user = post["author"]["uid"]
            self.ledger.maybe_deleted.add(post_id)
            if random.random() < 0.5:
                status, _ = self.service.request("DELETE", f"/v1/posts/{post_id}")
            else:  # Like a client of the database.
                places = [f"posts/{post_id}", f"people/{user}/posts/{post_id}", f"feed/{user}/{post_id}"]
                status, _ = self.service.json("PATCH", "/.json", dict.fromkeys(places))
            if status == 200:
                self.ledger.deleted.add(post_id)

    def speak(self):
        """Uses WebSockets: writes, transactions, and disconnect writes."""
        Speaker(self.service, self.ledger.spoken).run()

    def keep(self):
        """Uses objects of the bucket, and posts that show them."""
        Keeper(self.service, self.ledger, self.photos).run()

    def rethumb(self):
        self.service.json("POST", "/v1/jobs", {"kind": "rethumb"})

    def run_jobs(self):
        """Begins, pauses, cancels, switches and rolls back rethumb runs, at random."""
        for _ in range(8):
            if self.is_over.is_set():
                return
            jobs = (self.service.json("GET", "/v1/jobs")[1] or {}).get("jobs", [])[:2]
            order = {"kind": "rethumb", "switch": random.choice(["each", "last"])}
            self.service.json("POST", "/v1/jobs", order)
            for job in jobs:
                verb = random.choice(["pause", "resume", "cancel", "switch", "switch", "rollback", "rollback"])
                self.service.request("POST", f"/v1/jobs/{job['id']}/{verb}")
            time.sleep(random.uniform(0, 0.1))

    def thin_out(self):
        """Originals that a rule encodes again, or drops, as soon as their posts exist."""
        for _ in range(4):
            photo, user = self.photos.next(), random.choice(THINNED)
            self.send(photo, user, f"key-{self.photos.seed}-{self.photos.count}-{random.getrandbits(32):x}")
            rule = random.choice(["re-encode,q20,0d", "drop,0d"])
            self.service.json("POST", "/v1/jobs", {"kind": "originals", "rule": rule, "user": user})

    def fill_up(self):
        """Uploads of a person with a small quota: some are refused, and the quota is never exceeded."""
        quota = 3 * len(self.photos.next()) + 100
        self.service.json("PATCH", f"/v1/people/{LIMITED}", {"full_name": "Limited"})  # Only people have a quota.
        status, answer = self.service.json("PUT", f"/v1/usage/{LIMITED}/quota", {"quota": quota})
        if status != 200:
            self.halves += [f"a quota was refused: {status} {answer}"] if status < 500 else []
            return
        for _ in range(4):
            photo = self.photos.next()
            self.ledger.offer(photo, LIMITED, "socket")
            status, answer = self.service.upload(photo, LIMITED, f"key-{random.getrandbits(64):x}", wait=True)
            if status in (201, 202):
                self.ledger.acknowledge(answer.get("post_id") or answer["upload_id"], photo)
            elif answer.get("error", {}).get("code") != "quota_exceeded" and status < 500:
                self.halves.append(f"an upload was refused: {status} {answer}")
            usage = self.service.json("GET", f"/v1/usage/{LIMITED}")[1]
            if usage["used"] > quota:
                self.halves.append(f"{LIMITED} stores more than {quota} bytes: {usage}")

    def audit(self):
        """No audit finds damage, whatever else happens."""
        while not self.is_over.is_set():
            self.halves += [f"audit: {finding}" for finding in findings(self.service, "verify")]
            time.sleep(0.05)

    def collect(self):
        """Collects garbage all the time: files in use are never among it."""
        while not self.is_over.is_set():
            findings(self.service, "gc&change=true&max_share=100")
            time.sleep(0.05)

    def back_up(self):
        """Makes backups all the time; they are checked when the run on the folder ends."""
        while not self.is_over.is_set():
            back_up(self.service)
            time.sleep(0.2)

    # Readers

    def read_at_once(self):
        """One read returns posts, people and feeds of one moment: they agree."""
        while not self.is_over.is_set():
            tree = self.service.json("GET", "/.json")[1] or {}
            posts = {(post["author"]["uid"], post_id) for post_id, post in (tree.get("posts") or {}).items()}
            feeds = {(user, post_id) for user, feed in (tree.get("feed") or {}).items() for post_id in feed}
            people = {
                (user, post_id)
                for user, person in (tree.get("people") or {}).items()
                for post_id in person.get("posts") or {}
            }
            if not posts == feeds == people:
                self.halves.append(f"one read: {(posts ^ feeds) | (posts ^ people)}")
            self.reads += 1
            time.sleep(0.03)

    def read_in_steps(self):
        """Reads the posts that a feed names, and their pictures."""
        while not self.is_over.is_set():
            feeds = self.service.json("GET", "/feed.json?shallow=true")[1] or {}
            for user in random.sample(sorted(feeds), min(1, len(feeds))):
                feed = self.service.json("GET", f'/feed/{user}.json?orderBy="$key"&limitToLast=3')[1] or {}
                for post_id in feed.keys() - self.ledger.kept.going:
                    if not self.follows(user, post_id) and self.is_in(f"feed/{user}/{post_id}"):
                        # Deletions and switches in between are not problems: the post must still be listed, and fail again.
                        is_half = not self.follows(user, post_id) and self.is_in(f"feed/{user}/{post_id}")
                        # A client that deletes a post by its objects first may have begun after the read of the feed.
                        if is_half and post_id not in self.ledger.kept.going:
                            self.halves.append(f"three reads: feed/{user} names {post_id}, and something is missing")
            self.reads += 1
            time.sleep(0.03)

    def is_in(self, path):
        return self.service.json("GET", f"/{path}.json")[1] is True

    def follows(self, user, post_id):
        post = self.service.json("GET", f"/posts/{post_id}.json")[1]
        if not post or not self.is_in(f"people/{user}/posts/{post_id}"):
            return False
        urls = [post[name].removeprefix("http://localhost") for name in ("full_url", "thumb_url")]
        return all(self.service.request("GET", url)[0] == 200 for url in urls)


def back_up(service):
    """Makes a backup beside the Storage folder."""
    return service.request("POST", f"/v1/backup?to={urllib.parse.quote(backups_of(service))}")


def backups_of(service):
    return f"{service.storage}-backups"


def tintype(service, *arguments):
    """Returns a command's output, and a sentence about its failure, if it fails."""
    command = [service.binary, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip()[-400:]
    problem = f"unexplained: {' '.join(command[1:])} ended with {done.returncode}: {said}"
    return done.stdout, [problem] if done.returncode != 0 else []


def end_jobs(service):
    """Rolls back unswitched runs: then every file belongs to a post. Returns the problems."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        jobs = service.json("GET", "/v1/jobs")[1]["jobs"]
        if any(job["state"] == "running" for job in jobs):
            time.sleep(0.02)
            continue
        left = [job for job in jobs if job.get("switch") == "last" and job["state"] in ("paused", "prepared", "cancelled", "failed")]
        if not left:
            # Their remains are collected; there must be no other garbage.
            return [f"orphans: {found}" for found in findings(service, "gc&change=true&max_share=100")]
        verb = "cancel" if left[0]["state"] == "paused" else "rollback"
        service.request("POST", f"/v1/jobs/{left[0]['id']}/{verb}")
    return [f"unexplained: jobs do not end: {jobs}"]


def findings(service, action, timeout=30):
    """Returns an audit's findings: kinds, paths and sentences."""
    lines = service.request("POST", f"/v1/audit?action={action}", timeout=timeout)[1].splitlines()
    documents = [json.loads(line) for line in lines]
    return [f"{found['kind']} {found['path']}: {found['message']}" for found in documents if "kind" in found]


def drop(folder, photos, ledger, user, again=None):
    """Puts a photo into an inbox, a new one or an earlier one, in one of the common ways."""
    folder.mkdir(parents=True, exist_ok=True)
    photo = photos.next()
    photo = again or photo
    name = f"{photos.seed}-{photos.count}.jpg"
    ledger.offer(photo, user, "inbox")
    way = random.randrange(4)
    if way == 0:  # Written in place, in two steps.
        with open(folder / name, "wb") as file:
            file.write(photo[:1000])
            file.flush()
            time.sleep(0.005)
            file.write(photo[1000:])
    elif way == 1:  # Moved in.
        (folder / f".{name}.tmp").write_bytes(photo)
        os.rename(folder / f".{name}.tmp", folder / name)
    elif way == 2:  # With a text beside it.
        (folder / f"{name}.json").write_text(json.dumps({"text": "dropped #photo"}))
        (folder / name).write_bytes(photo)
    else:  # A folder that is one post.
        (folder / f".{name}").mkdir()
        (folder / f".{name}" / "1.jpg").write_bytes(photo)
        os.rename(folder / f".{name}", folder / f"{name}.post")
    return photo
