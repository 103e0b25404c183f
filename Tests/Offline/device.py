"""A device as a process of its own (Tests/Device), and its commands."""

import asyncio
import contextlib
import itertools
import json
import os
import signal

# The longest wait for an answer that needs no network, in seconds.
PATIENCE = 60
# The factor by which a device waits less than it says.
SPEED = 20


class Killed(Exception):
    """The device ended before it answered."""


class Refused(Exception):
    """The device answered with an error."""


class Device:
    """One device of a person. It may be killed and started again in its folder."""

    def __init__(self, name, person, program, folder, address):
        self.name, self.person, self.program, self.folder, self.address = name, person, program, folder, address
        self.process = None
        self.clock_offset = 0
        # Whether photos are sent apart from the store: "1" or "0".
        self.uploader = "0"
        self.disk = None
        self.kills = 0
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def is_running(self):
        return self.process is not None and self.process.returncode is None and not self.ended.is_set()

    async def start(self, kill_at=None):
        environment = dict(os.environ)
        environment.pop("TINTYPE_DEVICE_KILL_AT", None)
        if kill_at:
            environment["TINTYPE_DEVICE_KILL_AT"] = kill_at
        with open(self.folder.with_name(self.folder.name + ".log"), "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                self.program, str(self.folder), self.address, "--clock-offset", str(self.clock_offset), "--speed",
                str(SPEED), "--uploader", self.uploader, stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, stderr=log, env=environment, limit=1 << 26)
        self.ids = itertools.count()
        self.waiting = {}
        self.ended = asyncio.Event()
        self.reading = asyncio.create_task(self.read(self.process, self.waiting, self.ended))

    async def read(self, process, waiting, ended):
        with contextlib.suppress(ValueError, ConnectionError):
            while line := await process.stdout.readline():
                answer = json.loads(line)
                future = waiting.pop(answer.pop("id"), None)
                if future is not None and not future.done():
                    future.set_result(answer)
        ended.set()
        for future in waiting.values():
            if not future.done():
                future.set_exception(Killed())
        waiting.clear()

    async def kill(self):
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        await self.reading
        self.kills += 1

    async def do(self, command, patience=PATIENCE, **arguments):
        """Returns the answer to a command. Raises Killed without one, Refused with an error."""
        if not self.is_running:
            raise Killed()
        identity = next(self.ids)
        future = asyncio.get_running_loop().create_future()
        self.waiting[identity] = future
        try:
            self.process.stdin.write(json.dumps({"id": identity, "do": command, **arguments}).encode() + b"\n")
            await self.process.stdin.drain()
        except (ConnectionError, RuntimeError):
            self.waiting.pop(identity, None)
            future.cancel()
            raise Killed() from None
        try:
            answer = await asyncio.wait_for(future, patience)
        except asyncio.TimeoutError:
            self.waiting.pop(identity, None)
            raise TimeoutError(f"{self.name} did not answer {command} in {patience} s") from None
        if "error" in answer:
            raise Refused(answer["error"])
        return answer
