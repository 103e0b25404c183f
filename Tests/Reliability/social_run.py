"""Kills the service under people's actions, at failpoints and at random moments, and compares it with a model of them.

social_run.py [MINUTES]    (TINTYPE names the binary; SEED repeats the choices)

Groups of people post, follow, block, like, comment, mention, announce, read and are deleted, post for audiences and are members
of these, by routes and as clients of the database; admins blur and refuse posts, and old ones expire; notifications are sent to
a command. After every few kills the service runs until it is idle. Then feeds, marks, numbers, search keys, lists,
stories, photos, notifications and deliveries must match the model.
"""

import collections
import os
import pathlib
import random
import sys
import tempfile
import time

from social_actor import Crowd
from social_check import Look, deliveries, settle
from social_people import People

from harness.service import Service

GROUPS = 4
KILLS_BEFORE_A_LOOK = 3
LOOKS_BEFORE_A_NEW_FOLDER = 10
POINTS = [
    "before-begin", "after-begin", "before-commit", "after-commit", "before-commit", "after-commit", "before-checkpoint",
    "after-checkpoint", "before-reply:PUT", "before-reply:POST", "before-reply:PATCH", "before-reply:DELETE",
    "after-reply:POST", "before-reply:GET /v1/people", "before-step", "after-step", "before-write:/tree.mark",
]


class Run:
    """A service that is killed again and again, and its users meanwhile."""

    def __init__(self, binary, folder, seed):
        self.binary, self.folder, self.seed = binary, pathlib.Path(folder), seed
        self.random = random.Random(seed)
        self.counts, self.done = collections.Counter(), collections.Counter()
        self.problems = []
        self.generation = 0

    def new_folder(self):
        self.generation += 1
        folder = self.folder / f"{self.generation}"
        folder.mkdir()
        self.got = folder / "got"
        self.got.touch()
        command = folder / "notify"
        # The input is complete when it ends with a brace; a killed service may have written only a part.
        command.write_text(f"#!/bin/sh\nline=$(cat)\ncase $line in {{*}}) printf '%s\\n' \"$line\" >> '{self.got}';; esac\n")
        command.chmod(0o700)
        options = ["--notification-command", str(command), "--grace-period", "0s"]
        self.service = Service(self.binary, folder / "Storage", options)
        self.groups = [
            People(f"g{number}", self.service, f"{self.seed}/{self.generation}", self.problems) for number in range(GROUPS)
        ]
        self.start()
        for group in self.groups:
            group.begin()
        self.service.kill()

    def start(self, rule=""):
        return self.service.start([], {"TINTYPE_FAILPOINTS": rule})

    def next_rule(self):
        """Returns a crash at a point; every third time None, for a random moment."""
        if self.random.random() < 0.33:
            return ""
        return f"{self.random.choice(POINTS)}=crash@{int(self.random.expovariate(1 / 20)) + 1}"

    def kill_under_load(self):
        rule = self.next_rule()
        if self.start(rule):
            crowd = Crowd(self.groups)
            crowd.start()
            deadline = time.monotonic() + (2.5 if rule else self.random.uniform(0.05, 2.5))
            while time.monotonic() < deadline and self.service.is_running and (rule or crowd.is_working()):
                time.sleep(0.003)
            self.counts["at failpoints"] += not self.service.is_running
            code = self.service.kill()
            crowd.end()
        else:
            self.counts["at failpoints"] += 1
            code = self.service.kill()
        self.counts["kills"] += 1
        if code != -9:
            self.problems.append(f"it ended by itself, with {code}, rule {rule}; see {self.service.log}")

    def look(self):
        """Waits until it is idle, and compares everything; deleted people are created again."""
        self.start()
        for group in self.groups:
            group.resolve()
        self.compare()
        if self.random.random() < 0.4 and not self.problems:
            self.expire()
            self.compare()
        for group in self.groups:
            group.model.gone.clear()
            group.begin()
        dead = self.service.json("GET", "/v1/outbox")[1]["deliveries"]
        if dead:
            self.problems.append(f"deliveries were given up: {dead[:3]}")
        self.counts["looks"] += 1
        self.service.kill()
        self.counts["kills"] += 1

    def compare(self):
        settle(self.service)
        tree = self.service.json("GET", "/.json")[1] or {}
        got = deliveries(self.got)
        for group in self.groups:
            Look(group, tree, got)

    def expire(self):
        """Deletes the old posts of all groups."""
        deleted, query = 0, "older_than=31536000"
        while query:
            status, page = self.service.json("POST", f"/v1/expire?{query}")
            if status != 200:
                return self.problems.append(f"posts do not expire: {status} {page}")
            deleted += page["posts"]
            query = f"older_than=31536000&after={page['next']}" if page.get("next") else None
        expected = sum(group.model.expire() for group in self.groups)
        if deleted != expected:
            self.problems.append(f"{deleted} posts have expired, expected {expected}")

    def end_of_folder(self):
        got = [item["id"] for item in deliveries(self.got)]
        self.counts["delivered"] += len(set(got))
        self.counts["delivered twice"] += len(got) - len(set(got))
        for group in self.groups:
            self.done.update(group.done)

    def run(self, minutes):
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end and not self.problems:
            self.new_folder()
            for _ in range(LOOKS_BEFORE_A_NEW_FOLDER):
                for _ in range(KILLS_BEFORE_A_LOOK):
                    self.kill_under_load()
                if not self.problems:
                    self.look()
                if time.monotonic() > end or self.problems:
                    break
            self.end_of_folder()
            print(f"{self.counts['kills']} kills, {self.counts['looks']} looks", file=sys.stderr, flush=True)


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    seed = int(os.environ.get("SEED", time.time_ns() // 1_000_000 % 1_000_000))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tintype-social-") as folder:
        print(f"{GROUPS} groups of people; seed {seed}", flush=True)
        run = Run(os.environ["TINTYPE"], folder, seed)
        try:
            run.run(minutes)
        finally:
            if getattr(run, "service", None):
                run.service.kill()
        for problem in run.problems[:40]:
            print(problem[:2000])
        if run.problems and os.environ.get("KEEP"):
            os.rename(folder, f"{folder}.kept")
            os.mkdir(folder)
    for name in ("kills", "at failpoints", "looks", "delivered", "delivered twice"):
        print(f"{name:16} {run.counts[name]}")
    print(f"{'operations':16} {sum(run.done.values()) - run.done['found done'] - run.done['unanswered']}")
    for name in ("unanswered", "found done"):
        print(f"{name:16} {run.done[name]}")
    print(f"{'problems':16} {len(run.problems)}")
    print(f"{'seconds':16} {time.monotonic() - began:.0f}")
    sys.exit(1 if run.problems else 0)


if __name__ == "__main__":
    main()
