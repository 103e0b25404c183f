"""Plays a transcript against a client of this folder: a server sends the messages after S, and the client must send the messages
after C, word for word.
"""

import json
import select
import socket
import threading
import types

import model
import wire
from client import Client, Write
from frames import Violation
from hashes import node_hash
from queries import Bound, Query
from reference_connection import Connection, frame_of
from transcripts import Mismatch

from harness.waiting import PATIENCE


class Steady:
    """Choices that never cut a frame."""

    def random(self):
        return 1


def query_of(body):
    """Parses a query of a file: {"index":…, "start":{"value":…, "key":…, "open":true}, "end":…, "limit":…, "side":"l"}."""
    def bound(name):
        end = body.get(name)
        return None if end is None else Bound(end["value"], end.get("key"), end.get("open", False))

    return Query(body["index"], bound("start"), bound("end"), body.get("limit"), body.get("side", "l") == "l")


class Told(Client):
    """A client that records refusals and revocations and continues."""

    def on_refusal(self, listen, status):
        self.note(f"refused: {listen.name} {status}")

    def on_revocation(self, listens, query):
        for listen in listens:
            self.views.listens.remove(listen)


class ClientPlayer:
    """One transcript, a client, and the server's end of its connection."""

    def __init__(self, transcript, dialect, namespace):
        self.transcript = transcript
        self.door = socket.create_server(("127.0.0.1", 0))
        self.door.settimeout(PATIENCE)
        address = self.door.getsockname()
        transcript.known.update(host=f"127.0.0.1:{address[1]}")
        self.client = Told("told", dialect, address, transcript.known["host"], namespace, None, Steady())
        self.server, self.headers = None, []

    def play(self):
        try:
            for number, letter, rest in self.transcript.lines:
                getattr(self, f"play_{letter}")(number, rest)
            self.expect_silence(0)
        finally:
            self.door.close()
            if self.client.socket is not None:
                self.client.socket.close()
            if self.server is not None:
                self.server.socket.close()

    def play_R(self, number, rest):
        """Writes of other clients are known only from the server's messages."""

    def play_H(self, number, rest):
        self.headers.append(self.transcript.fill(rest))

    def play_O(self, number, rest):
        opening = threading.Thread(target=self.client.connect)
        opening.start()
        accepted, _ = self.door.accept()
        accepted.settimeout(PATIENCE)
        self.server = Connection(types.SimpleNamespace(defect=None), accepted)
        self.server.handshake()
        opening.join()
        self.transcript.expect(number, self.transcript.fill(rest), self.server.target)
        for header in self.headers:
            name, value = header.split(": ", 1)
            self.transcript.expect(number, value, self.server.fields.get(name.lower()))
        self.headers = []

    def play_S(self, number, rest):
        self.expect_silence(number)
        text = json.dumps(self.instance(self.transcript.message(rest)))
        for piece in wire.cut(text):
            self.server.socket.sendall(frame_of(piece.encode()))
        heard = self.client.heard["control"] + self.client.heard["answer"] + self.client.heard["push"]
        while self.client.socket is not None and heard == sum(self.client.heard[kind] for kind in ("control", "answer", "push")):
            select.select([self.client.socket.socket], [], [], PATIENCE)
            self.client.pump()

    play_s = play_S

    def instance(self, value):
        """Returns a message with a value in place of each placeholder."""
        samples = {"{{number}}": 1795329600000, "{{text}}": "text", "{{object}}": {"auth": {}}, "{{owner}}": {"auth": None}, "{{nothing}}": None,
                   "{{refusal}}": "permission_denied", "{{session}}": "s-kq3v"}
        if isinstance(value, dict):
            return {key: self.instance(item) for key, item in value.items()}
        if isinstance(value, str) and value in samples:
            if value == "{{session}}":
                self.transcript.known["session"] = samples[value]
            return samples[value]
        return value

    def play_C(self, number, rest):
        self.transcript.expect(number, self.transcript.message(rest), self.next_message(number))

    def play_F(self, number, rest):
        self.transcript.expect(number, rest, self.server.next_text())

    def next_message(self, number):
        pieces, wanted = [], 1
        while len(pieces) < wanted:
            try:
                text = self.server.next_text()
            except OSError as error:
                raise Mismatch(f"{self.transcript.path.name}:{number}: the client sends nothing ({error})") from error
            if text is None:
                raise Mismatch(f"{self.transcript.path.name}:{number}: the client ends the connection")
            if not pieces and text.isdigit() and text != "0":
                wanted = int(text)
            else:
                pieces.append(text)
        return json.loads("".join(pieces))

    def play_X(self, number, rest):
        self.transcript.expect(number, None, self.server.next_text())

    def expect_silence(self, number):
        """Checks that the client has sent nothing beyond the file."""
        if self.client.socket is not None and select.select([self.server.socket], [], [], 0)[0]:
            raise Mismatch(f"{self.transcript.path.name}:{number}: before this the client sends {self.server.next_text()}")

    # Actions of the client's program

    def play_D(self, number, rest):
        self.expect_silence(number)
        word, *operands = self.transcript.fill(rest).split(" ", 2)
        getattr(self, f"do_{word.replace('-', '_')}")(*operands)

    def do_credential(self, credential):
        self.client.credential = credential

    def do_app_check(self, word):
        self.client.has_no_app_check = word == "no"

    def do_listen(self, place, query=None):
        self.client.listen(model.path(place), query and query_of(json.loads(query)))

    def do_unlisten(self, number):
        self.client.unlisten(self.client.views.listens[int(number) - 1])

    def do_put(self, place, value):
        self.client.write(Write("p", place, json.loads(value)))

    def do_merge(self, place, value):
        self.client.write(Write("m", place, json.loads(value)))

    def do_transact(self, place, value):
        is_known, base = self.client.view(model.path(place))
        if not is_known:
            raise Violation(f"{place} has no listener")
        self.client.write(Write("p", place, json.loads(value), node_hash(base)))

    def do_get(self, place):
        self.client.get(model.path(place), None, lambda status, data: None)

    def do_leave(self, action, rest):
        place, _, value = rest.partition(" ")
        self.client.on_disconnect(action, model.path(place), json.loads(value or "null"), lambda status: None)

    def do_refresh(self, credential):
        self.client.refresh(credential)

    def do_spoil(self, credential):
        self.client.spoil(credential)

    def do_ping(self):
        self.client.ping()

    def do_keep_alive(self):
        self.client.keep_alive()

    def do_end(self):
        self.client.drop("close frame")

    def play_V(self, number, rest):
        place, value = self.transcript.fill(rest).split(" ", 1)
        self.transcript.expect(number, json.loads(value), self.client.view(model.path(place))[1])
