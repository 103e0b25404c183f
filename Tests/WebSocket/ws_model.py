"""Clients of all dialects use a service in random ways while it is killed.

ws_model.py [MINUTES] [--seconds N] [--seed N] [--no-kills] [--trace FILE]    (TINTYPE names the binary)

Whenever it is quiet, each client's view must match REST, and every transaction and every disconnect write must have been done
exactly once. In between, each frame is checked against the protocol. The seed repeats the choices; the timing of the
service's answers is not repeated.
"""

import argparse
import collections
import os
import pathlib
import random
import select
import sys
import tempfile
import time

import dialects
from frames import Violation
from ruled import RuledWorld, sign_up
from session import Session
from world import World

from harness.ports import free_port
from harness.service import Service

BETWEEN_LOOKS = (2, 6)  # Seconds from one comparison to the next.
KILLS_AT_LOOK = 0.3  # The probability of a kill before a comparison.


class Run:
    """A service, two trees in it, and the clients of both."""

    def __init__(self, service, address, seed, kills=True, has_rules=True, without=()):
        self.service, self.address, self.kills, self.has_rules = service, address, kills, has_rules
        self.choices = random.Random(seed)
        self.done = collections.Counter()
        self.worlds, self.without = [], without

    def begin(self):
        host = f"{self.address[0]}:{self.address[1]}"
        free = World(self.service, "model-free", self.choices)
        for number, dialect in enumerate([*dialects.ALL, *dialects.ALL]):
            credential = [None, "owner"][number % 2] if dialect is not dialects.IOS else None
            free.join(f"f{number}", f"{dialect.name} {number}", dialect(), self.address, host, credential)
        free.join("socket", "js on the socket", dialects.JavaScript(), self.service.socket, "localhost")
        self.worlds = [free]
        if not self.has_rules:
            return
        ruled = RuledWorld(self.service, "model-ruled", self.choices)
        for dialect in [*dialects.ALL, *dialects.ALL]:
            uid, token = sign_up(self.address)
            ruled.join(uid, f"{dialect.name} as {uid}", dialect(), self.address, host, token)
        ruled.join("boss", "android as owner", dialects.Android(), self.address, host, "owner")
        self.worlds.append(ruled)

    def wait(self, seconds=0.02):
        """Lets the service answer, at most for some time, and receives its messages."""
        sockets = [member.socket.socket for world in self.worlds for member in world.members if member.is_connected]
        select.select(sockets, [], [], seconds)
        for world in self.worlds:
            world.pump()

    def run(self, seconds, is_enough=lambda done: False):
        """Runs for that time, or until the counts of what was done are enough."""
        end = time.monotonic() + seconds
        self.begin()
        for world in self.worlds:
            for name in self.without:
                del world.actions.weights[name]
        while time.monotonic() < end and not is_enough(self.counts()):
            look = time.monotonic() + self.choices.uniform(*BETWEEN_LOOKS)
            while time.monotonic() < look:
                self.choices.choice(self.worlds).step()
                self.wait(self.choices.choice([0, 0, 0, 0.001, 0.005]))
            if self.kills and self.choices.random() < KILLS_AT_LOOK:
                self.kill()
            for world in self.worlds:
                world.quiet(self.wait)
            print(f"{self.counts()['comparisons']} comparisons", file=sys.stderr, flush=True)

    def counts(self):
        return sum((world.done for world in self.worlds), collections.Counter(self.done))

    def kill(self):
        """Kills the service in the middle of everything, and starts it again."""
        self.service.kill()
        self.done["kills"] += 1
        for world in self.worlds:
            world.pump()
            for member in world.members:
                member.drop("cut")
        if not self.service.start():
            raise Violation(f"the service does not start again; see {self.service.log}")


def report(run):
    counts, heard = run.counts(), collections.Counter()
    for world in run.worlds:
        heard.update(world.heard)
        for member in world.members:
            heard.update(member.heard)
    for title, counter in (("did", counts), ("heard", heard)):
        for name, count in sorted(counter.items()):
            print(f"{title:6} {name:28} {count}")


def tell(violation, seed):
    """Prints the end of a run that found a violation."""
    member = getattr(violation, "member", None)
    if member is not None:
        print(f"The last messages of {member.name}:")
        for line in member.story:
            print(f"  {line}")
    print(f"violation: {violation}")
    print(f"seed {seed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minutes", type=float, nargs="?", default=1)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1_000_000 % 1_000_000)
    parser.add_argument("--no-kills", action="store_true", help="leave the service alive")
    parser.add_argument("--trace", type=argparse.FileType("w"), help="a file for all messages")
    parser.add_argument("--without", default="", help="actions that are left out, separated by commas")
    options = parser.parse_args()
    Session.trace = options.trace
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tintype-websocket-") as folder:
        port = free_port()
        options_of_service = ["--listen", f"127.0.0.1:{port}", "--emulator"]
        service = Service(os.environ["TINTYPE"], pathlib.Path(folder) / "Storage", options_of_service)
        run = Run(service, ("127.0.0.1", port), options.seed, not options.no_kills,
                  without=[name for name in options.without.split(",") if name])
        try:
            if not service.start():
                sys.exit(f"the service does not start: {service.log.read_text()}")
            run.run(60 * options.minutes if options.seconds is None else options.seconds)
        except Violation as violation:
            report(run)
            tell(violation, options.seed)
            sys.exit(1)
        finally:
            service.kill()
    report(run)


if __name__ == "__main__":
    main()
