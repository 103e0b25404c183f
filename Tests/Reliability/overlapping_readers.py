"""Writes for minutes under constant reads, and checks the size of SQLite's write-ahead log.

overlapping_readers.py [MINUTES]    (TINTYPE names the binary)

The log can only restart when no reader uses it. Here this never happens by itself: readers of the whole
tree take turns that overlap, backups are made, and listeners begin to listen again and again. At the end the service is
killed, and all acknowledged data must exist.
"""

import http.client
import json
import os
import selectors
import socket
import sys
import tempfile
import threading
import time

from load import back_up

from harness.service import Connection, Service
from harness.waiting import PATIENCE

MAX_LOG_BYTES = 64 << 20
LISTENERS = 200
WRITERS = 3
READERS = 4
CHILDREN = 20_000
PLACES = 500
TEXT = "A tintype took fifteen minutes. " * 100


class Run:
    def __init__(self, service):
        self.service = service
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.acknowledged, self.problems = {}, []
        self.writes = self.reads = self.backups = self.events = self.log_bytes = 0

    def threads(self):
        works = [self.read] * READERS + [self.back_up, self.listen, self.measure]
        named = [(work, ()) for work in works] + [(self.write, (number,)) for number in range(WRITERS)]
        return [threading.Thread(target=self.guard, args=(work, *arguments)) for work, arguments in named]

    def guard(self, work, *arguments):
        try:
            work(*arguments)
        except Exception as error:  # An unexpected error is a finding.
            self.problems.append(f"{work.__name__}: {error!r}")
            self.is_over.set()

    def write(self, number):
        connection = Connection(str(self.service.socket), PATIENCE)
        count = 0
        while not self.is_over.is_set():
            count += 1
            place, value = f"wall/writer{number}/place{count % PLACES}", f"{count} {TEXT}"
            connection.request("PUT", f"/{place}.json?print=silent", json.dumps(value))
            answer = connection.getresponse()
            answer.read()
            if answer.status != 204:
                raise ConnectionError(f"a write was answered with {answer.status}")
            with self.lock:
                self.acknowledged[place] = value
                self.writes += 1
        connection.close()

    def read(self):
        """Reads the whole tree, piece by piece; the next such reader begins before this one has ended."""
        while not self.is_over.is_set():
            connection = Connection(str(self.service.socket), PATIENCE)
            connection.request("GET", "/.json")
            answer = connection.getresponse()
            while answer.read(1 << 16):
                self.is_over.wait(0.002)
            with self.lock:
                self.reads += 1
            connection.close()

    def back_up(self):
        while not self.is_over.is_set():
            status, answer = back_up(self.service)
            if status >= 300:
                raise ConnectionError(f"a backup was answered with {status}: {answer[:200]}")
            self.backups += 1

    def listen(self):
        """Holds event streams; each is closed after a while, and opened again."""
        with selectors.DefaultSelector() as streams:
            for number in range(LISTENERS):
                self.open_stream(streams, number)
            number = LISTENERS
            while not self.is_over.is_set():
                for key, _ in streams.select(0.05):
                    received = key.fileobj.recv(1 << 18)
                    self.events += received.count(b"event: ")
                    if not received:
                        raise ConnectionError("an event stream ended by itself")
                oldest = next(iter(streams.get_map().values())).fileobj
                streams.unregister(oldest)
                oldest.close()
                self.open_stream(streams, number)
                number += 1
            for key in list(streams.get_map().values()):
                key.fileobj.close()

    def open_stream(self, streams, number):
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.connect(os.path.relpath(self.service.socket))
        query = '?orderBy="$key"&limitToLast=5' if number % 2 else ""
        wall = f"/wall/writer{number % WRITERS}"
        path = f"{wall}.json{query}" if query else f"{wall}/place{number % PLACES}.json"
        stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        streams.register(stream, selectors.EVENT_READ)

    def measure(self):
        log = self.service.storage / "tree.sqlite-wal"
        while not self.is_over.wait(0.05):
            self.log_bytes = max(self.log_bytes, log.stat().st_size)

    def check(self):
        """Checks after the kill that everything acknowledged exists, or a later value."""
        walls = self.service.json("GET", "/wall.json", timeout=PATIENCE)[1] or {}
        for place, value in self.acknowledged.items():
            _, writer, key = place.split("/")
            found = walls.get(writer, {}).get(key)
            if found is None or int(found.split()[0]) < int(value.split()[0]):
                self.problems.append(f"lost: {place} is older than what was acknowledged")


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory(prefix="tintype-readers-") as folder:
        service = Service(os.environ["TINTYPE"], f"{folder}/s")
        try:
            service.start()
            children = {f"child{number}": TEXT[:200] for number in range(CHILDREN)}
            service.json("PUT", "/children.json?print=silent", children, timeout=PATIENCE)
            run = Run(service)
            threads = run.threads()
            for thread in threads:
                thread.start()
            run.is_over.wait(minutes * 60)
            run.is_over.set()
            for thread in threads:
                thread.join()
            service.kill()
            began = time.monotonic()
            service.start()
            seconds = time.monotonic() - began
            run.check()
        except (OSError, http.client.HTTPException):
            print(service.said()[-2000:])
            raise
        finally:
            service.kill()
    if run.log_bytes > MAX_LOG_BYTES:
        run.problems.append(f"the write-ahead log had {run.log_bytes} bytes")
    for problem in run.problems[:40]:
        print(problem)
    for name, count in [
        ("writes", run.writes), ("reads of everything", run.reads), ("backups", run.backups), ("events", run.events),
        ("log bytes, at most", run.log_bytes), ("started again in s", round(seconds, 1)), ("broken", len(run.problems)),
    ]:
        print(f"{name:20} {count}")
    sys.exit(1 if run.problems else 0)


if __name__ == "__main__":
    main()
