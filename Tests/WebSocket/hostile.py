"""Thousands of connections that stop halfway, and others that never read, while two clients work as usual.

hostile.py [CONNECTIONS] [--seconds N]    (TINTYPE names the binary)

Each write of one client must be answered and shown to the other, whatever the other connections do. Prints the delays, and the
service's memory.
"""

import argparse
import collections
import os
import pathlib
import random
import resource
import select
import socket
import statistics
import sys
import tempfile
import time

from client import Client, Write
from dialects import JavaScript
from frames import Violation, frame, request

from harness.ports import free_port
from harness.service import Service
from harness.waiting import PATIENCE

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
MOST_GROWTH = 1024  # The largest growth of the service, in MiB.
BATCH = 100  # Connections that are opened at a time.


def stalls(host):
    """Returns the bytes that are sent before the answer to the handshake, and after it, by the position at which they stop."""
    whole = request("/.ws?v=5&ns=hostile", host, KEY)
    listen = b'{"t":"d","d":{"r":1,"a":"q","b":{"p":"/flood","h":""}}}'
    return {
        "before the first byte": (b"", None),
        "in the handshake": (whole[:len(whole) // 2], None),
        "in the head of a frame": (whole, b"\x81"),
        "in a frame": (whole, frame(b"x" * 60_000)[:1000]),
        "in a message of fragments": (whole, frame(b'{"t":"d",', is_final=False)),
        "in a message of pieces": (whole, frame(b"900") + frame(b'{"' + b"x" * 16_000)),
        "before reading": (whole, frame(listen)),
    }


class Crowd:
    """The hostile connections."""

    def __init__(self, address, host, count):
        self.address, self.kinds, self.count = address, stalls(host), count
        self.sockets = collections.defaultdict(list)
        self.refused = 0

    def grow(self):
        """Opens some more; returns False when all are open."""
        number = sum(map(len, self.sockets.values())) + self.refused
        for index in range(number, min(number + BATCH, self.count)):
            name = list(self.kinds)[index % len(self.kinds)]
            one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.settimeout(PATIENCE)
            try:
                one.connect(self.address)
                first, second = self.kinds[name]
                one.sendall(first)
                if second is not None:
                    await_answer(one)
                    one.sendall(second)
            except OSError:
                self.refused += 1
                one.close()
                continue
            self.sockets[name].append(one)
        return number + BATCH < self.count

    def living(self):
        """Counts the connections of each kind that the service has not ended."""
        return {name: sum(map(is_open, sockets)) for name, sockets in self.sockets.items()}

    def end(self):
        for sockets in self.sockets.values():
            for one in sockets:
                one.close()


def await_answer(one):
    """Reads the answer to a handshake, and no further bytes."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = one.recv(1)
        if not byte:
            raise ConnectionError
        head += byte


def is_open(one):
    """Whether a connection is open; reads its received bytes."""
    one.setblocking(False)
    try:
        while one.recv(65536):
            pass
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


class Pair:
    """A client that writes, one that listens, and the delay between them."""

    def __init__(self, address, host):
        choices = random.Random(0)
        self.writer = Client("writer", JavaScript(), address, host, "hostile", None, choices)
        self.reader = Client("reader", JavaScript(), address, host, "hostile", None, choices)
        self.listen = self.reader.listen(("calm",))
        for client in (self.writer, self.reader):
            client.connect()
        self.until(lambda: self.listen.state == "live" and not self.writer.is_busy, "the beginning")
        self.count = 0

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            select.select([self.writer.socket.socket, self.reader.socket.socket], [], [], 0.05)
            if not (self.writer.pump() and self.reader.pump()):
                raise Violation(f"an ordinary client was cut off: {list(self.writer.story)[-1]}; {list(self.reader.story)[-1]}")
            if time.monotonic() > end:
                raise Violation(f"an ordinary client has waited for {what} for {PATIENCE} seconds")

    def exchange(self, flood=None):
        """Writes once; returns the milliseconds until it was acknowledged and shown. `flood` is written elsewhere before."""
        self.count += 1
        began, done = time.monotonic(), []
        if flood is not None:
            self.writer.write(Write("p", "/flood", flood))
        self.writer.write(Write("p", "/calm", self.count, on_answer=lambda status, _: done.append(status)))
        self.until(lambda: done and self.listen.value == self.count, "a write")
        if done != ["ok"]:
            raise Violation(f"an ordinary write was answered with {done}")
        return 1000 * (time.monotonic() - began)


def memory(service):
    """Returns the service's resident memory, in MiB."""
    for line in pathlib.Path(f"/proc/{service.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    raise Violation("the service has ended")


def show(what, times, service):
    ordered = sorted(times)
    print(f"{what:26} {len(times):6} writes, {statistics.median(ordered):7.1f} ms in the middle, "
          f"{ordered[int(len(ordered) * 0.99) - 1]:7.1f} of 99 %, {ordered[-1]:7.1f} at most; {memory(service):5} MiB", flush=True)


def run(service, address, count, seconds):
    host = f"{address[0]}:{address[1]}"
    pair, crowd = Pair(address, host), Crowd(address, host, count)
    before = memory(service)
    show("alone", [pair.exchange() for _ in range(200)], service)
    times, more = [], True
    while more:
        more = crowd.grow()
        times.append(pair.exchange())
    show("while they connect", times, service)
    print(f"{'':26} {sum(map(len, crowd.sockets.values()))} connections, {crowd.refused} refused")
    end, times, peak = time.monotonic() + seconds, [], 0
    while time.monotonic() < end:
        times.append(pair.exchange(flood=random.choice("abcdefgh") * 20_000))
        peak = max(peak, memory(service))
    show("while some are flooded", times, service)
    for name, living in crowd.living().items():
        print(f"{'':26} {living:6} of {len(crowd.sockets[name])} that stop {name} are still open")
    crowd.end()
    show("after them", [pair.exchange() for _ in range(200)], service)
    print(f"{'':26} {peak} MiB at most, {before} before")
    if peak > before + MOST_GROWTH:
        raise Violation(f"the service has grown from {before} to {peak} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("connections", type=int, nargs="?", default=10_000)
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most < options.connections + 100:
        sys.exit(f"{options.connections} connections need as many descriptors; the limit is {most}")
    with tempfile.TemporaryDirectory(prefix="tintype-hostile-") as folder:
        port = free_port()
        service = Service(os.environ["TINTYPE"], pathlib.Path(folder) / "Storage",
                          ["--listen", f"127.0.0.1:{port}", "--emulator"])
        try:
            if not service.start():
                sys.exit(f"the service does not start: {service.log.read_text()}")
            run(service, ("127.0.0.1", port), options.connections, options.seconds)
        except Violation as violation:
            print(f"violation: {violation}")
            sys.exit(1)
        finally:
            service.kill()


if __name__ == "__main__":
    main()
