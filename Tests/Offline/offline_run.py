#!/usr/bin/env python3
"""Devices with a lying network, kills and wrong clocks; then everything that was acknowledged must be on the service, once.

offline_run.py [--minutes N] [--seed S] [--devices N]    (TINTYPE and DEVICE name the binaries)

People post, like, comment, edit, delete, follow, block and write values of the tree, each on one device or two, while the
network of each device refuses, drops, cuts, delays, doubles and lies, and while devices and the service are killed. Every
few seconds everything becomes quiet: honest networks, and all devices running. Then the service must have each
acknowledged write once, in the order of its device, or the write is parked there with a reason; and each device must show
what a new device of the same person reads.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import traceback

from actions import Person
from device import Device, Killed, Refused
from disk import SmallDisk
from lying_network import Line
from model import Comparison, Model
from views import differences

from harness.ports import free_port
from harness.service import Service

ROUNDS_OF_A_FOLDER = 6
# The longest wait until everything is quiet, in seconds.
QUIET = 120
KILLS = ["request", "answer", "commit", "committed"]


class Run:
    """One service with its devices, from the first act to the last comparison."""

    def __init__(self, options, folder, seed):
        self.options, self.folder, self.seed = options, folder, seed
        self.random = random.Random(seed)
        self.problems, self.counts = [], collections.Counter()
        self.journal = open(folder / "journal", "w", buffering=1)
        self.start_time = time.monotonic()

    def log(self, text):
        self.journal.write(f"{time.monotonic() - self.start_time:8.3f} {text}\n")

    # The service and the devices

    def start_service(self):
        self.port = free_port()
        self.service = Service(os.environ["TINTYPE"], self.folder / "Storage", [
            "--listen", f"127.0.0.1:{self.port}", "--sign-up", "email", "--client-requests", "100000",
            "--client-connections", "1000", "--client-streams", "1000", "--change-log-count", "60"])
        self.service.start()

    def command(self, *arguments):
        return subprocess.run(
            [os.environ["TINTYPE"], *arguments, "--storage", str(self.folder / "Storage")], check=True, text=True,
            stdout=subprocess.PIPE).stdout

    def create_people(self):
        """Creates people who follow one another, and lets all of them write below `torture`."""
        for uid in self.uids:
            password = self.folder / f"{uid}.password"
            password.write_text(f"PasswordOf {uid}")
            self.command("user", "add", f"{uid}@example.org", "--uid", uid, "--name", uid.capitalize(),
                         "--password-file", str(password))
        for uid in self.uids:
            for other in self.uids:
                if uid != other:
                    status, _ = self.service.request("PUT", f"/v1/people/{uid}/following/{other}")
                    assert status == 200, status
        rules = self.command("rules", "show")
        allowed = '"rules": { "torture": { ".read": "auth != null", ".write": "auth != null" },'
        (self.folder / "rules.json").write_text(rules.replace('"rules": {', allowed, 1))
        self.command("rules", "set", str(self.folder / "rules.json"))

    def layout(self):
        """Chooses the people, and who has which devices."""
        count = self.options.devices
        if count == 2:
            owners = self.random.choice([["ann", "ann"], ["ann", "bob"]])
        else:
            owners = ["ann", "ann", "bob", "bob", "cat", "dan", "eve", "flo"][:count]
        self.uids = sorted({*owners, "bob"})
        return owners

    async def sign_in(self, device, attempts=30):
        for _ in range(attempts):
            try:
                await device.do("sign-in", email=f"{device.person}@example.org", password=f"PasswordOf {device.person}")
                return
            except Refused as error:
                last = error
                await asyncio.sleep(0.2)
        if attempts > 1:
            raise AssertionError(f"{device.name} cannot sign in: {last}")

    # Rounds

    async def run(self, rounds):
        owners = self.layout()
        self.model = Model()
        self.lines, self.devices, self.actors = [], [], []
        self.start_service()
        try:
            self.create_people()
            await self.run_devices(owners, rounds)
        finally:
            self.service.kill()

    async def run_devices(self, owners, rounds):
        async with contextlib.AsyncExitStack() as stack:
            for number, owner in enumerate(owners):
                name = f"{owner}{number}"
                line = await stack.enter_async_context(Line(
                    name, self.port, random.Random(f"{self.seed}/{name}"), self.log))
                device = Device(name, owner, os.environ["DEVICE"], self.folder / name, f"http://127.0.0.1:{line.port}")
                device.clock_offset = self.random.choice([0, 0, -86400 * 30, 86400 * 30, 3600, -3600])
                device.uploader = self.random.choice("01")
                self.lines.append(line)
                self.devices.append(device)
                if number == 0:
                    device.disk = stack.enter_context(SmallDisk(device.folder))
                await device.start()
                await self.sign_in(device)
                self.actors.append(Person(device, self.model, self.uids, self.random, self.folder, self.log, self.counts))
            try:
                for number in range(rounds):
                    self.log(f"== round {number}")
                    await self.chaos(self.random.uniform(4, 10))
                    await self.become_quiet()
                    await self.compare()
                    if self.problems:
                        break
                    self.counts["rounds"] += 1
            finally:
                for device in self.devices:
                    self.counts["kills of devices"] += device.kills
                    await device.kill()
                for line in self.lines:
                    self.counts.update({f"fate {fate}": count for fate, count in line.counts.items()})

    async def chaos(self, seconds):
        end = time.monotonic() + seconds
        tasks = [self.act(*pair, end) for pair in zip(self.actors, self.lines)]
        tasks += [self.kill_service(end), self.end_sessions(end)]
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def act(self, actor, line, end):
        """Acts on one device, while its network changes and the device is killed."""
        device = actor.device
        while time.monotonic() < end:
            if self.random.random() < 0.15:
                line.set_mode(self.random.choice(["honest", "lying", "lying", "lying", "off"]))
                self.log(f"{device.name} network {line.mode}")
            if device.disk and self.random.random() < 0.04:
                self.counts["full disks"] += device.disk.toggle()
                self.log(f"{device.name} disk full: {device.disk.is_full}")
            if self.random.random() < 0.03:
                self.log(f"{device.name} is killed")
                await device.kill()
            try:
                if not device.is_running:
                    await device.kill()
                    await self.start_again(device)
                if self.random.random() < 0.03:
                    device.clock_offset += (jump := self.random.choice([-86400, 86400, -60, 60]))
                    await device.do("clock", seconds=jump)
                await actor.act()
                if self.random.random() < 0.1 and (await device.do("position"))["session"] != "signed-in":
                    await self.sign_in(device, attempts=1)
            except Refused as error:
                self.log(f"{device.name}: {error}")
            except Killed:
                self.log(f"{device.name} has ended")
            await asyncio.sleep(self.random.expovariate(6))

    async def start_again(self, device):
        kill_at = None
        if self.random.random() < 0.5:
            kill_at = f"{self.random.choice(KILLS)}:{int(self.random.expovariate(1 / 15)) + 1}"
        self.log(f"{device.name} starts, to end at {kill_at}")
        await device.start(kill_at)

    async def kill_service(self, end):
        while time.monotonic() < end:
            await asyncio.sleep(self.random.expovariate(1 / 5))
            if self.random.random() < 0.5 and time.monotonic() < end:
                self.log("the service is killed")
                self.service.kill()
                self.counts["kills of the service"] += 1
                await asyncio.sleep(self.random.uniform(0, 1))
                await asyncio.to_thread(self.service.start)

    async def end_sessions(self, end):
        """Ends the sessions of a person, who signs in again."""
        while time.monotonic() < end:
            await asyncio.sleep(self.random.expovariate(1 / 8))
            uid = self.random.choice(self.uids)
            arguments = ["user", "password", uid, "--password-file", str(self.folder / f"{uid}.password")]
            if time.monotonic() < end:
                with contextlib.suppress(subprocess.CalledProcessError):  # The service is just being killed.
                    await asyncio.to_thread(self.command, *arguments)
                    self.counts["ended sessions"] += 1
                    self.log(f"the sessions of {uid} have ended")

    async def become_quiet(self):
        """Waits until networks are honest, all devices run, and nothing must be sent."""
        self.log("== quiet")
        for device, line in zip(self.devices, self.lines):
            line.set_mode("honest")
            if device.disk:
                device.disk.empty()
            await device.kill()
            await device.start()
            await device.do("network", on=True)
        for line in self.lines:
            await line.end_copies()
        end = time.monotonic() + QUIET
        for actor in self.actors:
            device = actor.device
            while True:
                # Writes on a post or a comment wait until that is sent or discarded.
                await actor.discard_refused(all_kinds=time.monotonic() > end - QUIET + 10)
                position = await device.do("position")
                if position["session"] != "signed-in":
                    await self.sign_in(device)
                if position["unsent"] == 0 and position["laid"] == 0:
                    break
                if time.monotonic() > end:
                    raise AssertionError(f"{device.name} is not quiet: {position}")
                await asyncio.sleep(0.1)

    async def compare(self):
        """Compares the service with the model, and the devices with new ones."""
        parked = set()
        for actor in self.actors:
            state = (await actor.device.do("state"))["state"]
            parked |= {(actor.device.name, write["write"]) for write in state["parked"]} | actor.discarded
            self.counts["parked"] += len(state["parked"])
        _, tree = self.service.json("GET", "/.json")
        self.problems += Comparison(self.model, tree, parked).run()
        for uid in {device.person for device in self.devices}:
            await self.compare_views(uid)

    async def compare_views(self, uid):
        fresh = Device(f"{uid}-new", uid, os.environ["DEVICE"], self.folder / f"{uid}-new-{self.counts['rounds']}",
                       f"http://127.0.0.1:{self.port}")
        await fresh.start()
        try:
            await self.sign_in(fresh)
            for device in [device for device in self.devices if device.person == uid]:
                end = time.monotonic() + 60
                while True:
                    # A session that has ended may show only now.
                    if (await device.do("position"))["session"] != "signed-in":
                        await self.sign_in(device)
                    views = [await self.view(one) for one in (device, fresh)]
                    different = differences(*views)
                    if not different or time.monotonic() > end:
                        break
                    await asyncio.sleep(0.5)
                if different:
                    (self.folder / f"{device.name}.view").write_text(json.dumps(views[0], indent=1, sort_keys=True))
                    (self.folder / f"{device.name}.new").write_text(json.dumps(views[1], indent=1, sort_keys=True))
                self.problems += [f"{device.name}: {text}" for text in different]
        finally:
            await fresh.kill()

    async def view(self, device):
        await device.do("load")
        state = (await device.do("state"))["state"]
        for post in state["posts"]:
            try:
                await device.do("load-comments", post=post["post"]["post_id"])
            except Refused as error:
                self.log(f"{device.name} load-comments {post['post']['post_id']}: {error}")
        return (await device.do("state"))["state"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.5)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1 << 32)))
    parser.add_argument("--devices", type=int, default=2)
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tintype-offline-"))
    counts, generation = collections.Counter(), 0
    while time.monotonic() < end:
        seed = f"{options.seed}/{generation}" if "/" not in options.seed else options.seed
        generation += 1
        place = folder / str(generation)
        place.mkdir()
        run = Run(options, place, seed)
        try:
            asyncio.run(run.run(ROUNDS_OF_A_FOLDER))
        except Exception as error:  # Whatever it is, the seed and the logs are needed.
            traceback.print_exc()
            run.problems.append(repr(error))
        counts.update(run.counts)
        if run.problems:
            for problem in run.problems[:20]:
                print(f"✘ {problem[:1500]}")
            print(f"again: Tests/Offline/offline_run.py --devices {options.devices} --seed {seed}; logs in {place}")
            break
        subprocess.run(["rm", "-rf", str(place)], check=True)
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())), flush=True)
    sys.exit(1 if run.problems else 0)


if __name__ == "__main__":
    main()
