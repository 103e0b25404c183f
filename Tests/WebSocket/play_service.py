"""Plays a transcript against the service: the messages after C are sent, and those after S must arrive."""

import json
import select
import time

import wire
from frames import Refused, WebSocket, frame
from transcripts import Mismatch
from transports import http_connection

from harness.waiting import PATIENCE


class ServicePlayer:
    """One transcript, and its current connection."""

    def __init__(self, transcript, service, address, namespace):
        self.transcript, self.service, self.address, self.namespace = transcript, service, address, namespace
        self.socket, self.headers, self.waiting, self.group, self.answer = None, [], [], [], None

    def play(self):
        try:
            for number, letter, rest in self.transcript.lines:
                if letter not in "DV":
                    getattr(self, f"play_{'line' if letter == '|' else letter}")(number, rest)
            self.expect_silence()
        finally:
            if self.socket is not None:
                self.socket.close()

    def play_R(self, number, rest):
        method, path, *value = self.transcript.fill(rest).split(" ", 2)
        status, answer = self.service.json(method, f"{path}.json?ns={self.namespace}", json.loads(value[0]) if value else None)
        self.transcript.expect(number, 200, status)

    def play_H(self, number, rest):
        self.headers.append(tuple(self.transcript.fill(rest).split(": ", 1)))

    def play_O(self, number, rest):
        if self.socket is not None:
            self.socket.close()
        self.waiting, self.assembler = [], wire.Assembler()
        try:
            self.socket = WebSocket(self.address, self.transcript.fill(rest), self.transcript.known["host"], self.headers)
        except Refused as refusal:
            raise Mismatch(f"{self.transcript.path.name}:{number}: {refusal.head}") from refusal
        self.headers = []

    def play_C(self, number, rest):
        text = json.dumps(self.transcript.message(rest), ensure_ascii=False, separators=(",", ":"))
        for piece in wire.cut(text):
            self.socket.send(piece)

    def play_F(self, number, rest):
        self.socket.write(frame(self.transcript.fill(rest).encode()))

    def play_S(self, number, rest):
        self.take(lambda: self.waiting or self.socket.end)
        if not self.waiting:
            raise Mismatch(f"{self.transcript.path.name}:{number}: {self.socket.end or 'nothing comes'}, expected {rest}")
        self.transcript.expect(number, self.transcript.message(rest), self.waiting.pop(0))

    def play_s(self, number, rest):
        """Reads one of several lines; the last of them checks them all."""
        following = self.transcript.letters.get(number + 1)
        self.group = [*self.group, (number, rest)]
        if following == "s":
            return
        group, self.group = self.group, []
        self.take(lambda: len(self.waiting) >= len(group) or self.socket.end)
        for number, rest in group:
            wanted = self.transcript.message(rest)
            found = next((message for message in self.waiting[:len(group)] if self.transcript.matches(wanted, message)), None)
            if found is None:
                self.transcript.expect(number, wanted, self.waiting)
            self.waiting.remove(found)

    def play_X(self, number, rest):
        self.expect_silence()
        self.socket.close("close frame")
        self.socket = None

    def play_E(self, number, rest):
        self.take(lambda: self.socket.end)
        # An unknown code may be any, but there must be one.
        if f"closed it with {rest.split('{')[0]}" not in (self.socket.end or ""):
            raise Mismatch(f"{self.transcript.path.name}:{number}: {self.socket.end or 'the connection lives'}, expected {rest}")
        self.socket = None

    def take(self, is_over):
        """Receives messages until a condition holds, or patience ends."""
        end = time.monotonic() + PATIENCE
        while not is_over() and time.monotonic() < end:
            select.select([self.socket.socket], [], [], 0.1)
            for text in self.socket.texts():
                message = self.assembler.message(text)
                if message is not None:
                    if wire.check(message) == "answer":
                        # An extension of this service, which Firebase's answers do not have.
                        message["d"]["b"].pop("token", None)
                    self.waiting.append(message)

    def expect_silence(self):
        """Checks that all received messages were expected."""
        if self.socket is None or self.socket.end:
            return
        self.socket.ping()
        self.take(lambda: self.socket.pongs == 0)
        if self.waiting:
            raise Mismatch(f"{self.transcript.path.name}: at the end there is more: {self.waiting}")

    # HTTP

    def play_G(self, number, rest):
        connection = http_connection(self.address)
        connection.request("GET", self.transcript.fill(rest), headers={"Host": self.transcript.known["host"], **dict(self.headers)})
        response = connection.getresponse()
        body = response.read().decode()
        self.answer = response.status, response.headers.get_content_type(), body.splitlines()
        connection.close()
        self.headers = []

    def play_A(self, number, rest):
        status, *kind = rest.split(" ")
        self.transcript.expect(number, int(status), self.answer[0])
        self.transcript.expect(number, kind, [self.answer[1]][:len(kind)])

    def play_line(self, number, rest):
        self.transcript.expect(number, self.transcript.fill(rest), self.answer[2].pop(0) if self.answer[2] else None)
