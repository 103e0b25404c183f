"""Kills the service at every failpoint and at random moments, under load, and looks for losses.

crash_matrix.py [KILLS]    (TINTYPE names the binary)

It first traces a run that takes every step. The passed points must be those of failpoints.txt, so that a
new step is noticed. Then it crashes at each of them, in turn with random moments, on two Storage folders side by side.
"""

import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

import objects
from checker import Check, Ledger
from load import FIXTURES, Load, Photos, back_up, backups_of, drop, end_jobs, tintype
from shim import build_shim

from harness.service import Service

HERE = pathlib.Path(__file__).resolve().parent
RECIPES = [["full=96", "thumb=48,cover"], ["full=80", "thumb=40,cover"]]
KILLS_BEFORE_A_LOOK = 3
LOOKS_BEFORE_A_NEW_FOLDER = 8
MAX_LOG_BYTES = 64 << 20  # Of SQLite's write-ahead log, with any readers.
MINUTES_AHEAD = 11  # Bytes of unfinished objects are kept for ten.


def arguments(generation=0, draft_lifetime="24h"):
    recipes = [option for recipe in RECIPES[generation % 2] for option in ("--recipe", recipe)]
    return recipes + ["--grace-period", "0s", "--inbox-quiet", "1s", "--draft-lifetime", draft_lifetime]


# The list of failpoints


def place_of(line, storage):
    """Returns a traced point with its path generalised: `before-rename:/blobs/`."""
    point, _, place = line.partition(":")
    if place.startswith(str(storage)):
        below = place[len(str(storage)):]
        if not below:
            return point
        if below.startswith("-backups"):
            parts = below.split("/")
            return f"{point}:-backups/{parts[1]}/" if len(parts) > 2 else f"{point}:-backups"
        return f"{point}:/{below.split('/')[1]}/" if below.count("/") > 1 else f"{point}:{below}"
    if point.endswith("-reply"):
        method, _, path = place.partition(" ")
        known = [root for root in ("/v1/uploads", "/v0/b") if path.startswith(root)]
        return f"{point}:{method} {known[0]}" if known else None
    return line


def trace(binary, folder):
    """Takes every step once, and returns the passed points."""
    path = pathlib.Path(folder) / "points"
    service = Service(binary, pathlib.Path(folder) / "Storage")
    environment = {"TINTYPE_FAILPOINTS": f"*=trace({path})"}
    photos, ledger = Photos("trace"), Ledger()

    def run(options):
        if not service.start(options, environment):
            raise RuntimeError(f"the service does not start; see {service.log}")

    try:
        take_every_step(service, run, photos, ledger, path)
    finally:
        service.kill()
    places = {place_of(line, service.storage) for line in path.read_text().splitlines()}
    return sorted(place for place in places if place)


def take_every_step(service, run, photos, ledger, path):
    run(arguments())
    ids = []
    for number in range(2):
        status, answer = service.upload(photos.next(), "ann", f"key-{number}", text="one #tag")
        assert status == 201, answer
        ids.append(answer["post_id"])
    service.upload(b"\xff\xd8\xff\xe0 no photo", "ann", "key-bad")
    service.upload((FIXTURES / "baseline-420.jpg").read_bytes()[:2000], "ann", "key-cut")
    for number in range(2):
        status, draft = service.json("POST", "/v1/uploads?user=ann&draft=true")
        assert status == 201, draft
        status, answer = service.request("POST", f"/v1/uploads/{draft['upload_id']}/photos", photos.next())
        assert status in (200, 201), answer
        send_pieces(service, photos.next(), f"/v1/uploads/{draft['upload_id']}/photos")
        if number == 0:
            service.request("POST", f"/v1/uploads/{draft['upload_id']}/publish?text=hello")
    send_pieces(service, photos.next())
    send_pieces(service, b"no photo, in pieces")
    service.tus("POST", "/v1/uploads?user=ann", {"Upload-Length": "10"})
    keep_objects(service, photos, ledger)
    inbox = service.storage / "inbox" / "bob"
    for _ in range(12):
        photo = drop(inbox, photos, ledger, "bob")
    service.settle()
    drop(inbox, photos, ledger, "bob", photo)
    (inbox / "notes.txt").write_text("no photo")
    (inbox / "cut.jpg").write_bytes((FIXTURES / "baseline-420.jpg").read_bytes()[:2000])
    service.settle()
    service.json("PATCH", "/.json", {f"posts/{ids[0]}": None, f"people/ann/posts/{ids[0]}": None, f"feed/ann/{ids[0]}": None})
    service.request("DELETE", f"/v1/posts/{ids[1]}")
    service.settle()
    spoil(service)
    service.request("POST", "/v1/audit?action=repair&change=true")
    service.request("POST", "/v1/audit?action=gc&change=true&max_share=100")
    back_up(service)
    service.stop()
    run(arguments(1, draft_lifetime="0s"))
    job = service.do_job({"kind": "rethumb", "switch": "last"})
    for verb in ("switch", "rollback"):
        service.do_job(job, verb)
    service.do_job({"kind": "rethumb"})
    service.stop()
    run(arguments(1))
    deadline = time.monotonic() + 10
    while "after-step:collected\n" not in path.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    service.stop()


def spoil(service):
    """Causes the damage that an audit repairs: a lost rendition, a stray file, and a hashtag of a post that lacks it."""
    post_id, post = next(iter(service.json("GET", "/posts.json")[1].items()))
    folder = (service.storage / post["thumb_storage_uri"]).parent
    (folder / "stray.jpg").write_bytes(b"x")
    (service.storage / post["thumb_storage_uri"]).unlink()
    service.json("PUT", f"/hashtags/unsaid/{post_id}.json", True)


def keep_objects(service, photos, ledger):
    """Stores objects in all ways and posts one; changes and deletes some, and leaves one unfinished."""
    keeper = objects.Keeper(service, ledger, photos)
    keeper.begin(keeper.photo_name("full", "left"), keeper.photo(), False)
    for is_ranged in (False, True):
        keeper.resume(keeper.begin(keeper.photo_name("full", f"pieces-{is_ranged}"), keeper.photo(), is_ranged))
    keeper.put(f"{objects.NOBODY}/notes/1", b"note")
    keeper.put(f"{objects.NOBODY}/notes/1", b"another")
    service.json("PATCH", objects.path(f"{objects.NOBODY}/notes/1"), {"metadata": {"k": "v"}})
    keeper.remove(f"{objects.NOBODY}/notes/1")
    keeper.post()
    service.settle()
    keeper.delete_post()


def send_pieces(service, photo, path="/v1/uploads?user=ann"):
    """Sends a photo in two pieces."""
    status, fields = service.tus("POST", path, {"Upload-Length": str(len(photo))})
    assert status == 201, status
    for offset, piece in ((0, photo[:10]), (10, photo[10:])):
        service.tus("PATCH", fields["location"], {"Upload-Offset": str(offset)}, piece)
    service.tus("HEAD", fields["location"])


def compare(points):
    """Complains about points that are not in the list, and about those in the list that were not passed."""
    listed = [line for line in (HERE / "failpoints.txt").read_text().splitlines() if line and line[0] != "#"]
    difference = list(difflib.unified_diff(listed, points, "failpoints.txt", "traced", lineterm="", n=0))
    for line in difference:
        print(line)
    return not difference


# The matrix


class Lane:
    """A service that is killed again and again."""

    def __init__(self, binary, folder, points, kills, seed):
        self.binary, self.folder, self.kills_wanted = binary, pathlib.Path(folder), kills
        self.points = points
        self.name = f"lane{seed}"
        self.random = random.Random(seed)
        self.service = Service(binary, self.folder / self.name / "Storage")
        self.counts = collections.Counter()
        self.problems = []

    def run(self):
        generation = 0
        while self.counts["kills"] < self.kills_wanted and not self.problems:
            self.service = Service(self.binary, self.folder / f"{self.name}-{generation}" / "Storage")
            self.service.storage.parent.mkdir()
            self.ledger, self.unanswered = Ledger(), []
            self.photos = Photos(f"{self.name}-{generation}")
            for look in range(LOOKS_BEFORE_A_NEW_FOLDER):
                for _ in range(KILLS_BEFORE_A_LOOK):
                    self.kill_under_load(look)
                self.look(look)
                print(f"{self.name}: {self.counts['kills']} of {self.kills_wanted} kills", file=sys.stderr, flush=True)
                if self.counts["kills"] >= self.kills_wanted or self.problems:
                    break
            self.end_of_folder()
            generation += 1
        return self.counts, self.problems

    def next_rule(self):
        """Returns the points by turns; every third time none, for a random moment."""
        self.turn = getattr(self, "turn", self.random.randrange(len(self.points) * 3)) + 1
        if self.turn % 3 == 0:
            return None
        point = self.points[(self.turn - self.turn // 3) % len(self.points)]
        return f"{point}=crash@{self.random.choice([1, 1, 1, 2, 3, 5, 8])}"

    def kill_under_load(self, generation):
        rule = self.next_rule()
        if rule is None and self.random.random() < 0.3:
            return self.kill_at_start(generation)
        has_started = self.service.start(arguments(generation), {"TINTYPE_FAILPOINTS": rule or ""})
        if has_started:
            load = Load(self.service, self.ledger, self.photos, self.unanswered)
            load.start()
            deadline = time.monotonic() + self.random.uniform(0.02, 0.6) if rule is None else time.monotonic() + 1.2
            while time.monotonic() < deadline and self.service.is_running and (rule or load.is_working()):
                time.sleep(0.003)
            self.counts["at failpoints"] += not self.service.is_running
            code = self.service.kill()
            load.end()
            self.measure_log()
            self.counts["reads"] += load.reads
            self.problems += [f"halves: {half}" for half in load.halves]
        else:
            self.counts["at failpoints"] += 1
            code = self.service.kill()
        self.counts["kills"] += 1
        if code != -9:
            self.problems.append(f"it ended by itself, with {code}, rule {rule}; see {self.service.log}")

    def measure_log(self):
        log = self.service.storage / "tree.sqlite-wal"
        size = log.stat().st_size if log.exists() else 0
        self.counts["log bytes"] = max(self.counts["log bytes"], size)
        if size > MAX_LOG_BYTES:
            self.problems.append(f"unexplained: the write-ahead log has {size} bytes")

    def kill_at_start(self, generation):
        """Kills it while it recovers from the kill before, before its first answer."""
        self.service.start(arguments(generation), wait=False)
        time.sleep(self.random.uniform(0, 0.25))
        code = self.service.kill()
        self.counts["kills"] += 1
        self.counts["at a start"] += 1
        if code != -9:
            self.problems.append(f"it ended by itself, with {code}, at a start; see {self.service.log}")

    def look(self, generation):
        """Starts it, sends unanswered uploads again, waits until it is idle and checks everything."""
        self.service.start(arguments(generation))
        for photo, user, key in self.unanswered:
            status, answer = self.service.upload(photo, user, key)
            if status == 201:
                self.ledger.acknowledge(answer["post_id"], photo)
            else:
                self.problems.append(f"lost: sent again with its key, an upload was refused: {status} {answer}")
        self.unanswered = []
        self.check()
        self.service.kill()
        self.counts["kills"] += 1

    def check(self, is_last=False):
        self.service.settle()
        self.problems += end_jobs(self.service)
        deadline = time.monotonic() + 10
        while True:
            check = Check(self.service, self.ledger, is_last)
            # Meanwhile the garbage is collected, and disconnect writes of clients are done.
            if not (check.counts["orphans"] or check.is_early) or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        self.counts.update(check.counts)
        self.counts["looks"] += 1
        self.problems += [f"{problem} ({self.service.storage})" for problem in check.problems]

    def end_of_folder(self):
        """At the end nothing is in progress: unfinished data has expired, including data that is kept for some minutes."""
        if self.problems:
            return
        shim = self.folder / f"{self.name}-clock.so"
        build_shim(shim, "clock_shim.c")
        environment = {"LD_PRELOAD": str(shim), "TINTYPE_CLOCK_AHEAD": str(MINUTES_AHEAD * 60)}
        self.service.start(arguments(draft_lifetime="0s"), environment)
        self.ledger.unfinished = []
        self.ledger.kept.forget_unfinished()
        deadline = time.monotonic() + 10
        while sum(self.service.status()["uploads"].values()) > 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.check(is_last=True)
        states = self.service.status()["uploads"]
        if sum(states.values()) > 0:
            self.problems.append(f"orphans: unfinished uploads did not expire: {states}")
        self.service.stop()
        self.check_backups()
        self.counts["uploads"] += len(self.ledger.contents)
        self.counts["acknowledged"] += len(self.ledger.acknowledged)
        self.counts["deleted"] += len(self.ledger.deleted)
        self.counts["words"] += len(self.ledger.spoken.acknowledged)
        self.counts["transactions"] += sum(map(len, self.ledger.spoken.committed.values()))
        self.counts.update({f"{name} kept": count for name, count in self.ledger.kept.counts.items()})
        self.counts["departures"] += sum(least for least, _ in self.ledger.spoken.departures.values())

    def check_backups(self):
        """Backups under load that were cut off by kills are complete; and each backed-up moment is a store without a fault."""
        folder, target = backups_of(self.service), pathlib.Path(f"{self.service.storage}-restored")
        self.tintype("backup", folder, "--storage", self.service.storage)
        self.damage(pathlib.Path(folder))
        self.tintype("backup", folder, "--storage", self.service.storage)
        self.tintype("backup", "verify", folder)
        listed = self.tintype("backup", "ls", folder, "--json").splitlines()
        if self.problems:
            return
        states = [json.loads(line)["token"] for line in listed]
        self.counts["backups"] += len(states)
        moments = [states[-1], self.random.choice(states), self.random.randint(states[0], states[-1])]
        for index, moment in enumerate(moments):
            self.tintype("backup", "restore", folder, "--at", moment, "--storage", target)
            # Files of the time between two backups may be in neither of them.
            if index < 2:
                self.tintype("store", "verify", "--storage", target)
            shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)

    def damage(self, folder):
        """Deletes one file of a folder of backups, and truncates another, which the store still has."""
        names = sorted(file.relative_to(folder) for file in (folder / "blobs").rglob("*") if file.is_file())
        present = [name for name in names if (self.service.storage / name).exists()]
        for name, harm in zip(self.random.sample(present, min(2, len(present))), (os.unlink, lambda file: os.truncate(file, 1))):
            harm(folder / name)
            self.counts["damages"] += 1

    def tintype(self, *arguments):
        output, problems = tintype(self.service, *arguments)
        self.problems += problems
        return output


def run_lane(*parameters):
    lane = Lane(*parameters)
    try:
        return lane.run()
    finally:
        lane.service.kill()


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    binary = os.environ["TINTYPE"]
    seed = int(os.environ.get("SEED", time.time_ns() // 1_000_000 % 1_000_000))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tintype-crashes-") as folder:
        points = trace(binary, folder)
        is_listed = compare(points)
        print(f"{len(points)} failpoints; seed {seed}", flush=True)
        lanes = 2
        with concurrent.futures.ProcessPoolExecutor(lanes) as pool:
            runs = [
                pool.submit(run_lane, binary, folder, points, kills // lanes, seed * lanes + lane)
                for lane in range(lanes)
            ]
            results = [run.result() for run in runs]
        counts, problems = collections.Counter(), []
        for lane_counts, lane_problems in results:
            longest = max(counts["log bytes"], lane_counts["log bytes"])
            counts.update(lane_counts)
            counts["log bytes"] = longest
            problems += lane_problems
        for problem in problems[:40]:
            print(problem)
        if problems and os.environ.get("KEEP"):
            os.rename(folder, f"{folder}.kept")
            os.mkdir(folder)
    for name in ("kills", "at failpoints", "at a start", "looks", "uploads", "acknowledged", "deleted", "words",
                 "transactions", "departures", "objects kept", "resumed kept", "posts kept", "removed kept", "backups", "damages", "log bytes", "reads"):
        print(f"{name:14} {counts[name]}")
    for name in ("lost", "duplicates", "halves", "orphans", "gaps", "unexplained"):
        print(f"{name:14} {max(counts[name], sum(problem.startswith(name) for problem in problems))}")
    print(f"{'seconds':14} {time.monotonic() - began:.0f}")
    sys.exit(1 if problems or not is_listed else 0)


if __name__ == "__main__":
    main()
