"""Clients of the WebSocket protocol, while the service is killed: they write, make transactions, and register disconnect
writes. They are those of Tests/WebSocket, and just as strict.
"""

import pathlib
import random
import select
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "WebSocket"))

import dialects  # noqa: E402
import model  # noqa: E402
from client import Client, Write  # noqa: E402
from frames import Violation  # noqa: E402
from hashes import node_hash  # noqa: E402

PATIENCE = 60  # Seconds to wait for an answer.
TALLIES = ("one", "two")


class Spoken:
    """The writes over WebSockets, and their answers."""

    def __init__(self):
        self.offered = {}  # path → value, of all sent writes
        self.acknowledged = set()  # paths whose write was answered
        self.tried = {name: set() for name in TALLIES}  # entries of sent transactions
        self.committed = {name: set() for name in TALLIES}
        self.departures = {}  # key → the least and the largest possible number of its disconnect writes

    def check(self, tree, complain):
        """Compares it with a tree. `complain` takes a kind and a sentence. Returns whether a disconnect write is still missing."""
        for path, value in self.offered.items():
            found = model.child(tree, model.path(path))
            if found != value and (path in self.acknowledged or found is not None):
                complain("lost", f"{path} is {found}, was acknowledged as {value}")
        for name in TALLIES:
            tally = model.child(tree, ("tallies", name))
            entries = set(model.children(model.child(tally, ("entries",))))
            if self.committed[name] - entries:
                complain("lost", f"transactions of {name}: {sorted(self.committed[name] - entries)[:5]}")
            if entries - self.tried[name]:
                complain("unexplained", f"transactions of {name}: {sorted(entries - self.tried[name])[:5]}")
            if (model.child(tally, ("n",)) or 0) != len(entries):
                complain("duplicates", f"{name} counts {model.child(tally, ('n',))} transactions, has {len(entries)}")
        is_early = False
        for key, (least, most) in self.departures.items():
            found = model.child(tree, ("gone", key)) or 0
            is_early = is_early or found < least
            if not least <= found <= most:
                complain("lost" if found < least else "duplicates", f"gone/{key} was written {found} times, not {least} to {most}")
        return is_early


class Speaker:
    """One client, for a while."""

    def __init__(self, service, spoken):
        self.spoken, self.random = spoken, random.Random()
        self.name = f"s{self.random.getrandbits(48):x}"
        dialect = self.random.choice(dialects.ALL)()
        self.client = Client(self.name, dialect, service.socket, "localhost", "tintype", None, self.random)
        self.count = 0
        self.left = []  # Registered disconnect writes.
        self.waiting = 0  # Unanswered requests.

    def run(self, count=30):
        """Does this many actions, a few at a time, and disconnects without a message."""
        self.client.connect()
        try:
            for name in TALLIES:
                self.client.listen(("tallies", name))
            self.wait(lambda: not self.client.is_busy)
            for _ in range(count):
                self.random.choice([self.put, self.put, self.merge, self.transact, self.transact, self.leave, self.stay])()
                self.wait(lambda: self.waiting < 4)
            self.wait(lambda: self.waiting == 0)
        finally:
            self.client.drop("cut")

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            if not self.client.pump():
                raise ConnectionError("the connection has ended")
            if condition():
                return
            if time.monotonic() > end:
                raise Violation(f"{self.name} waits in vain: {[one.body for one in self.client.requests.values()]}")
            select.select([self.client.socket.socket], [], [], 0.05)

    def unique(self):
        self.count += 1
        return f"{self.name}-{self.count}"

    def put(self):
        self.write("p", {f"words/{self.name}/{self.unique()}": self.random.getrandbits(30)})

    def merge(self):
        self.write("m", {f"words/{self.name}/{self.unique()}": self.random.getrandbits(30) for _ in range(3)})

    def write(self, action, values):
        self.spoken.offered.update(values)
        self.waiting += 1

        def answered(status, _):
            if status == "ok":
                self.spoken.acknowledged.update(values)
                self.waiting -= 1
            elif status != "disconnect":
                raise Violation(f"a write was answered with {status}")

        if action == "m":
            return self.client.write(Write("m", "/", values, on_answer=answered))
        (path, value), = values.items()
        return self.client.write(Write("p", f"/{path}", value, on_answer=answered))

    def transact(self):
        name, entry = self.random.choice(TALLIES), self.unique()
        self.spoken.tried[name].add(entry)
        self.waiting += 1
        self.attempt(name, entry)

    def attempt(self, name, entry):
        base = self.client.view(("tallies", name))[1]
        entries = {**model.children(model.child(base, ("entries",))), entry: True}

        def answered(status, _):
            if status == "datastale":
                return self.attempt(name, entry)
            if status == "ok":
                self.spoken.committed[name].add(entry)
                self.waiting -= 1
            elif status != "disconnect":
                raise Violation(f"a transaction was answered with {status}")
            return None

        value = {"n": len(entries), "entries": entries}
        self.client.write(Write("p", f"/tallies/{name}", value, node_hash(base), answered))

    def leave(self):
        """Registers a disconnect write."""
        self.expect(self.unique(), (1, 1), "o", {".sv": {"increment": 1}})

    def stay(self):
        """Cancels a disconnect write; does nothing without one."""
        if self.left:
            self.expect(self.left.pop(), (0, 0), "oc", None)

    def expect(self, key, times, action, value):
        self.spoken.departures[key] = (0, 1)
        self.waiting += 1

        def answered(status):
            if status != "ok":
                raise Violation(f"{action} was answered with {status}")
            self.spoken.departures[key] = times
            self.waiting -= 1
            if action == "o":
                self.left.append(key)

        self.client.on_disconnect(action, ("gone", key), value, answered)
