#!/usr/bin/env python3
"""An inbox with hostile writers, and random kills: at the end, posts = distinct complete files.

Writers put files into the inbox in all the ways that go wrong: slowly, closing and opening again in the middle,
under another name first, complete after having been cut, replacing what they have just written, twice the same bytes, under a
second name (a hard link), or dying half-way. The service is killed at random moments, and started again.

A file is complete when its writer has declared it done, and its bytes are a photo. Each distinct complete file must be one
post of its user. No other file may be a post; it must be where the operator finds it.
"""

import argparse
import collections
import glob
import hashlib
import json
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
import zlib

from checker import digest, files_in

from harness.service import Service
from harness.waiting import eventually

USERS = 20
WRITERS = 8


def photo(number):
    """Returns a PNG of a few pixels that differs from all others: its number is its picture."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    seed = hashlib.sha256(str(number).encode()).digest()
    rows = b"".join(b"\0" + bytes(seed[(x + 7 * y) % 32] for x in range(24 * 3)) for y in range(24))
    # Without compression: as long as a photo, and broken wherever it is cut.
    pixels = zlib.compress(rows, 0)
    header = struct.pack(">IIBBBBB", 24, 24, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


class Books:
    """The writers' actions, recorded by themselves."""

    def __init__(self):
        self.lock = threading.Lock()
        self.complete = {}  # SHA-256 of a complete photo → its user
        self.linked = {}  # of a photo with two names: it may be refused
        self.replaced = {}  # of a photo that its writer replaced: it was claimed before, or it is lost
        self.halves = set()  # of files that are not photos, and must never be posts
        self.counts = collections.Counter()

    def note(self, manner, user, data, is_linked=False):
        with self.lock:
            self.counts[manner] += 1
            (self.linked if is_linked else self.complete)[digest(data)] = user

    def note_half(self, manner, data):
        with self.lock:
            self.counts[manner] += 1
            self.halves.add(digest(data))


class Writer(threading.Thread):
    """Writes one file after the other, each in a random manner."""

    def __init__(self, inbox, numbers, books, seed):
        super().__init__(daemon=True)
        self.inbox, self.numbers, self.books = inbox, numbers, books
        self.random = random.Random(seed)
        self.failure = None

    def run(self):
        manners = [name for name in dir(self) if name.startswith("write_")]
        try:
            for number in self.numbers:
                user = f"user{self.random.randrange(USERS)}"
                folder = self.inbox / user / self.random.choice(["", "", "album", "album/deep"])
                folder.mkdir(parents=True, exist_ok=True)
                manner = self.random.choice(manners)
                getattr(self, manner)(manner[6:], folder, user, number, photo(number))
        except Exception as error:  # noqa: BLE001 (with any error the run has failed)
            self.failure = f"{type(error).__name__}: {error}"

    def pause(self, most=0.05):
        time.sleep(self.random.random() * most)

    def write_at_once(self, manner, folder, user, number, data):
        (folder / f"{number}.png").write_bytes(data)
        self.books.note(manner, user, data)

    def write_renamed(self, manner, folder, user, number, data):
        part = folder / f"{number}.png.part"
        part.write_bytes(data)
        self.pause()
        part.rename(folder / f"{number}.png")
        self.books.note(manner, user, data)

    def write_renamed_twice(self, manner, folder, user, number, data):
        """Renames a file that the service may claim at any moment: the first one wins."""
        path = folder / f"{number}-a.png"
        path.write_bytes(data)
        self.pause(0.5)
        try:
            path.rename(folder / f"{number}-b.png")
        except FileNotFoundError:
            pass
        self.books.note(manner, user, data)

    def write_slowly(self, manner, folder, user, number, data):
        with open(folder / f"{number}.png", "wb", buffering=0) as file:
            for start in range(0, len(data), len(data) // 6 + 1):
                file.write(data[start:start + len(data) // 6 + 1])
                self.pause(0.4)
        self.books.note(manner, user, data)

    def write_reopening(self, manner, folder, user, number, data):
        """Closed in the middle, opened again."""
        path = folder / f"{number}.png"
        cut = self.random.randrange(1, len(data) - 1)
        path.write_bytes(data[:cut])
        self.pause(0.3)
        with open(path, "r+b") as file:
            file.seek(cut)
            file.write(data[cut:])
        self.books.note(manner, user, data)

    def write_truncating(self, manner, folder, user, number, data):
        """Longer content first, truncated to nothing, then the photo."""
        with open(folder / f"{number}.png", "w+b", buffering=0) as file:
            file.write(os.urandom(3000))
            self.pause(0.2)
            file.truncate(0)
            file.seek(0)
            self.pause(0.2)
            file.write(data)
        self.books.note(manner, user, data)

    def write_replacing(self, manner, folder, user, number, data):
        """A complete photo, and another one over it: the first may be claimed before."""
        path, other = folder / f"{number}.png", photo(f"{number} replaced")
        path.write_bytes(other)
        self.pause(0.3)
        part = folder / f".{number}.new"
        part.write_bytes(data)
        part.rename(path)
        with self.books.lock:
            self.books.replaced[digest(other)] = user
        self.books.note(manner, user, data)

    def write_duplicating(self, manner, folder, user, number, data):
        for copy in range(3):
            part = folder / f".{number}-{copy}.new"
            part.write_bytes(data)
            part.rename(folder / f"{number}-{copy}.png")
            self.pause(0.1)
        self.books.note(manner, user, data)

    def write_hard_linking(self, manner, folder, user, number, data):
        part = folder / f".{number}.new"
        part.write_bytes(data)
        os.link(part, folder / f"{number}.png")
        self.pause()
        self.books.note(manner, user, data, is_linked=True)

    def write_linking_and_unlinking(self, manner, folder, user, number, data):
        """The way in which mail programs deliver."""
        part = folder / f".{number}.new"
        part.write_bytes(data)
        os.link(part, folder / f"{number}.png")
        part.unlink()
        self.books.note(manner, user, data)

    def write_dying(self, manner, folder, user, number, data):
        """A process that is killed in the middle of a file: with less than a tenth missing, the file would be a post."""
        cut = self.random.randrange(1, len(data) * 3 // 4)
        path = folder / f"{number}.png"
        program = "import os,sys,time; f=open(sys.argv[1],'wb',0); f.write(sys.stdin.buffer.read()); os.kill(os.getpid(),9)"
        subprocess.run([sys.executable, "-c", program, str(path)], input=data[:cut], check=False)
        self.books.note_half(manner, data[:cut])

    def write_into_folder(self, manner, folder, user, number, data):
        """A complete folder, packed elsewhere and moved in."""
        packed = self.inbox.parent / "packing" / str(number)
        (packed / "inner").mkdir(parents=True)
        (packed / "inner" / f"{number}.png").write_bytes(data)
        packed.rename(folder / f"folder-{number}")
        self.books.note(manner, user, data)

    def write_strangely_named(self, manner, folder, user, number, data):
        name = os.fsencode(f"{number}-") + self.random.choice([b"\xff\xfe", b"\n", b"\x1b[2J", b" ", b"-rf"]) + b".png"
        part = folder / f".{number}.new"
        part.write_bytes(data)
        os.rename(os.fsencode(part), os.path.join(os.fsencode(folder), name))
        self.books.note(manner, user, data)


def killing(service, kills, deadline, random_source, counts):
    """Kills the service at random moments while a writer is active, or the requested number of times."""
    while counts["kills"] < kills and time.monotonic() < deadline:
        time.sleep(random_source.uniform(0.2, 2))
        service.kill()
        counts["kills"] += 1
        if not service.start():
            raise RuntimeError(f"it did not start again; see {service.log}")


def settle(service):
    """Waits until the inbox contains only files that must not be claimed."""

    def is_settled():
        status = service.status()
        return not service.waiting_files() and status["queue"] == 0 and sum(status["uploads"].values()) == 0

    # Thousands of files may wait.
    eventually("an empty inbox", is_settled, lambda: (service.waiting_files()[:5], service.status()), patience=1200)


def check(service, books):
    """Returns the counts, and sentences about problems."""
    problems = []
    published = collections.defaultdict(list)
    tree = service.json("GET", "/.json")[1] or {}
    for post_id, post in (tree.get("posts") or {}).items():
        user = post["author"]["uid"]
        originals = sorted((service.storage / "blobs" / user / post_id).glob("original*"))
        if len(originals) != 1:
            problems.append(f"post {post_id} has {len(originals)} originals")
        for path in originals:
            published[digest(path.read_bytes())].append((post_id, user))
    put_aside = {digest(p.read_bytes()) for p in files_in(service.storage / "failed")}
    done = collections.Counter(digest(p.read_bytes()) for p in files_in(service.storage / "done"))
    allowed = {**books.replaced, **books.linked, **books.complete}
    lost, extra = [], []
    for content, user in books.complete.items():
        posts = published.get(content, [])
        if not posts:
            lost.append(f"a complete file of {user}, {content[:12]}, is not a post" + (
                " (it is in failed/)" if content in put_aside else ""))
        if content not in done:
            problems.append(f"a complete file of {user}, {content[:12]}, is not in done/")
    for content, posts in published.items():
        if content not in allowed:
            extra.append(f"post {posts[0][0]} is not a complete file of any writer")
        elif any(user != allowed[content] for _, user in posts):
            extra.append(f"post {posts[0][0]} is not its writer's")
        if len(posts) > 1:
            extra.append(f"posts {[post for post, _ in posts]} are one file")
    for content in books.halves - put_aside:
        problems.append(f"half a file, {content[:12]}, is not in failed/")
    for content, user in books.linked.items():
        if content not in published and content not in put_aside:
            lost.append(f"a hard-linked file of {user}, {content[:12]}, is neither a post nor put aside")
    duplicates = sum(done.values()) - len(done)
    for path in files_in(service.storage / "done"):
        receipts = list(path.parent.glob(glob.escape(path.name[:60]) + "*.receipt.json"))
        if not receipts:
            problems.append(f"{path} has no receipt")
    for path in service.storage.rglob("*.part"):
        problems.append(f"{path} is left over")
    return published, duplicates, lost, extra, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", type=int, nargs="?", default=300, help="the number of files that are written (default 300)")
    parser.add_argument("--kills", type=int, help="the number of kills of the service (default: files / 60)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--keep", action="store_true", help="keep the folder, and print its path")
    options = parser.parse_args()
    kills = options.kills if options.kills is not None else max(5, options.files // 60)
    binary = os.environ.get("TINTYPE", ".build/debug/tintype")

    folder = pathlib.Path(tempfile.mkdtemp(prefix="tt-hostile-"))
    service = Service(binary, folder / "Storage", ["--inbox-quiet", "2s"])
    books, counts = Books(), collections.Counter()
    begin = time.monotonic()
    try:
        if not service.start():
            raise RuntimeError(f"it did not start; see {service.log}")
        inbox = folder / "Storage" / "inbox"
        writers = [
            Writer(inbox, range(first, options.files, WRITERS), books, options.seed + first) for first in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        source = random.Random(options.seed)
        while any(writer.is_alive() for writer in writers) or counts["kills"] < kills:
            killing(service, counts["kills"] + 1, begin + 3600, source, counts)
            if counts["kills"] >= kills:
                for writer in writers:
                    writer.join()
        for writer in writers:
            if writer.failure:
                raise RuntimeError(f"a writer failed: {writer.failure}")
        # The hidden second names of hard-linked files.
        for path in inbox.rglob(".*.new"):
            path.unlink()
        settle(service)
        published, duplicates, lost, extra, problems = check(service, books)
        service.stop()
    finally:
        service.kill()
        if options.keep:
            print(f"seed {options.seed}: {folder}")
    print(json.dumps({
        "files": options.files, "kills": counts["kills"], "distinct": len(books.complete), "posts": len(published),
        "duplicates": duplicates, "lost": len(lost), "extra": len(extra), "problems": len(problems),
        "seconds": round(time.monotonic() - begin), "manners": dict(sorted(books.counts.items())),
    }))
    for sentence in (lost + extra + problems)[:50]:
        print(sentence)
    is_good = not (lost or extra or problems)
    if is_good and not options.keep:
        shutil.rmtree(folder)
    elif not is_good:
        print(f"seed {options.seed}; the folder {folder} is kept")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
