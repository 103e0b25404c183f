"""A network between devices and the service that refuses, drops, cuts, delays, doubles, holds and lies.

Each device has a `Line` of its own: a port, behind which requests go to the service, or not. It shares no code with the
service or the client.
"""

import asyncio
import collections
import contextlib

# The largest header of a request or an answer, in bytes.
LARGEST_HEADER = 1 << 16
# What happens to a request on a line that lies, with weights. `pass` is honest.
FATES = {
    "pass": 50, "refuse": 4, "drop-before": 6, "drop-after": 8, "cut": 6, "delay": 8, "hold": 6, "double": 8, "portal": 4,
    "busy": 4,
}
PORTALS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 32\r\n\r\n<html>Sign in to the hotel</html>",
    b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/login\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 14\r\n\r\n<h1>Bad</h1>\r\n",
    b"HTTP/1.1 511 Network Authentication Required\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
]
BUSY = [
    b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
]


class Message:
    """A request as it was sent."""

    def __init__(self, head, body):
        self.head, self.body = head, body
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target = lines[0].split(" ")[:2]
        self.fields = {}
        for line in lines[1:]:
            if ":" in line:
                name, value = line.split(":", 1)
                self.fields[name.strip().lower()] = value.strip()

    @property
    def is_stream(self):
        return "text/event-stream" in self.fields.get("accept", "")

    @property
    def is_safe_late(self):
        """Whether a copy may arrive after later requests: its key keeps it from undoing them, or its bytes' offset."""
        return "idempotency-key" in self.fields or "upload-offset" in self.fields

    def bytes(self):
        """Returns the request as it goes to the service: on a connection of its own."""
        lines = [line for line in self.head.split(b"\r\n") if line and not line.lower().startswith(b"connection:")]
        return b"\r\n".join([*lines, b"Connection: close", b"", b""]) + self.body


class Line:
    """The network of one device. `mode` is honest, lying or off."""

    def __init__(self, name, port, random, log):
        self.name, self.service_port, self.random, self.log = name, port, random, log
        self.mode = "honest"
        self.counts = collections.Counter()
        self.connections, self.tasks, self.copies = set(), set(), set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.connection, "127.0.0.1", 0, limit=LARGEST_HEADER)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.cut_all()
        tasks = [*self.tasks, *self.copies]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def set_mode(self, mode):
        self.mode = mode
        if mode == "off":
            self.cut_all()

    def cut_all(self):
        """Cuts all connections, also those with an event stream."""
        for writer in list(self.connections):
            writer.transport.abort()

    async def end_copies(self):
        """Waits until no delayed copy of a request is under way."""
        if self.copies:
            await asyncio.wait(list(self.copies))

    async def connection(self, reader, writer):
        self.connections.add(writer)
        self.tasks.add(asyncio.current_task())
        try:
            while self.mode != "off" and (message := await read_request(reader)):
                if not await self.answer(message, reader, writer):
                    return
        except (OSError, asyncio.CancelledError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            self.connections.discard(writer)
            self.tasks.discard(asyncio.current_task())
            writer.transport.abort()

    def fate(self, message):
        if self.mode == "honest":
            return "pass"
        fate = self.random.choices(list(FATES), list(FATES.values()))[0]
        if fate == "double" and not self.may_double(message):
            return "pass"
        return fate

    def may_double(self, message):
        """Whether a network may repeat a request: one with a key, or one that changes nothing more when repeated."""
        return message.is_safe_late or message.method in ("GET", "HEAD", "PUT", "DELETE")

    async def answer(self, message, reader, writer):
        """Answers a request by its fate; returns whether the connection goes on."""
        fate = self.fate(message)
        self.counts[fate] += 1
        self.log(f"{self.name} {fate} {message.method} {message.target} {message.fields.get('idempotency-key', '')}")
        if fate == "refuse" or fate == "drop-before":
            return False
        if fate in ("portal", "busy"):
            writer.write(self.random.choice(PORTALS if fate == "portal" else BUSY))
            await writer.drain()
            return True
        if fate == "delay":
            await asyncio.sleep(self.random.uniform(0, 1))
            if not message.is_safe_late and (reader.at_eof() or writer.transport.is_closing()):
                return False  # The device may have sent it again meanwhile, and later ones.
        if message.is_stream:
            return await self.stream(message, writer)
        if fate == "double":
            copy = self.copy(message)
            if not message.is_safe_late:
                await copy
        answer = await self.exchange(message)
        if answer is None or fate == "drop-after":
            return False
        self.log(f"{self.name} <- {answer.split(b' ', 2)[1].decode()} {message.method} {message.target}")
        if fate == "hold":
            await asyncio.sleep(self.random.uniform(0, 3))
        if fate == "cut":
            writer.write(answer[: self.random.randrange(len(answer))])
            await writer.drain()
            return False
        writer.write(answer)
        await writer.drain()
        return True

    def copy(self, message):
        """Sends a request once more, perhaps seconds later."""
        wait = self.random.choice([0, self.random.uniform(0, 6)]) if message.is_safe_late else 0

        async def send():
            await asyncio.sleep(wait)
            answer = await self.exchange(message)
            status = answer.split(b" ", 2)[1].decode() if answer else "nothing"
            self.log(f"{self.name} copy after {wait:.1f} s: {message.method} {message.target}: {status}")

        task = asyncio.create_task(send())
        self.copies.add(task)
        task.add_done_callback(self.copies.discard)
        return task

    async def exchange(self, message):
        """Sends a request to the service, and returns the whole answer; None without one."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.service_port)
            try:
                writer.write(message.bytes())
                answer = await reader.read(-1)
            finally:
                writer.transport.abort()
        except OSError:
            return None
        head, separator, body = answer.partition(b"\r\n\r\n")
        if not separator:
            return None
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        return b"\r\n".join(lines) + b"\r\n\r\n" + body

    async def stream(self, message, writer):
        """Passes an event stream on, on a lying line for a random time."""
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            reader, upstream = await asyncio.open_connection("127.0.0.1", self.service_port)
            try:
                upstream.write(message.bytes())
                end = self.random.uniform(0, 8) if self.mode == "lying" else None
                async with asyncio.timeout(end):
                    while piece := await reader.read(1 << 16):
                        writer.write(piece)
                        await writer.drain()
            finally:
                upstream.transport.abort()
        return False


async def read_request(reader):
    """Returns the next request of a connection; None at its end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    message = Message(head, b"")
    if "chunked" in message.fields.get("transfer-encoding", ""):
        pieces = b""
        while True:
            line = await reader.readuntil(b"\r\n")
            count = int(line.split(b";")[0], 16)
            pieces += line + await reader.readexactly(count + 2)
            if count == 0:
                break
        message.body = pieces
    else:
        message.body = await reader.readexactly(int(message.fields.get("content-length", 0)))
    return message
