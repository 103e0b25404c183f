"""A connection to the small server that tests the model run."""

import base64
import hashlib
import json
import os
import queue
import socket
import struct
import threading
import time
import urllib.parse

import model
from frames import GUID
from hashes import node_hash
from queries import PRIORITY, Bound, Query
from wire import MAX_NAME, MIN_NAME, cut


def keys_of(text):
    return model.path(text)


def query_of(body):
    """Parses a query of a message; the sentinels of names become open bounds."""
    index = body.get("i", PRIORITY)

    def bound(value, name, inclusive, extreme):
        if value not in body:
            return None
        key = body.get(name)
        if key == extreme:
            return Bound(body[value], None, True)
        return Bound(body[value], None if key in (MIN_NAME, MAX_NAME) else key, not body.get(inclusive, True))

    is_left = body.get("vf", "l" if "sp" in body else "r") == "l"
    return Query(index, bound("sp", "sn", "sin", MAX_NAME), bound("ep", "en", "ein", MIN_NAME), body.get("l"), is_left)


def frame_of(payload):
    """Returns the bytes of a frame as a server sends it."""
    if len(payload) < 126:
        return bytes([0x81, len(payload)]) + payload
    if len(payload) < 65536:
        return struct.pack(">BBH", 0x81, 126, len(payload)) + payload
    return struct.pack(">BBQ", 0x81, 127, len(payload)) + payload


class Connection:
    """A connection, and its listeners."""

    def __init__(self, server, accepted):
        self.server, self.socket = server, accepted
        self.unsent, self.listens, self.leaving = queue.Queue(), {}, []
        self.namespace = self.session = None
        self.is_over = False

    def run(self):
        try:
            self.open()
            threading.Thread(target=self.send_all, daemon=True).start()
            pieces, wanted = [], 0
            while (text := self.next_text()) is not None:
                if wanted:
                    pieces.append(text)
                elif text.isdigit():
                    wanted = int(text)
                else:
                    pieces, wanted = [text], 1
                if wanted and len(pieces) == wanted:
                    self.take(json.loads("".join(pieces)))
                    pieces, wanted = [], 0
        except OSError:
            pass
        self.end()

    def open(self):
        parameters, host = self.handshake()
        for other in list(self.server.connections):
            if other.session == parameters.get("ls"):
                other.end()
        with self.server.lock:
            self.namespace, self.session = parameters["ns"], base64.urlsafe_b64encode(os.urandom(9)).decode()
            self.server.connections.append(self)
            hello = {"ts": int(time.time() * 1000), "v": "5", "h": host, "s": self.session}
            self.send({"t": "c", "d": {"t": "h", "d": hello}})

    def handshake(self):
        """Answers the request that opens a WebSocket; returns its parameters and the host that it names."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.exactly(1)
        first, *lines = head.decode().split("\r\n")
        self.target = first.split()[1]
        self.fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        accept = base64.b64encode(hashlib.sha1(self.fields["sec-websocket-key"].encode() + GUID).digest()).decode()
        self.socket.sendall(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                             f"Sec-WebSocket-Accept: {accept}\r\n\r\n").encode())
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.target).query)), self.fields["host"]

    def end(self):
        """Runs the disconnect writes, once."""
        with self.server.lock:
            if self.is_over:
                return
            self.is_over = True
            if self in self.server.connections:
                self.server.connections.remove(self)
            leaving = self.leaving[:-1] if self.server.defect == "forgets a departure" else self.leaving
            for writes, base in leaving:
                self.server.commit(self.namespace, writes, base)
                if self.server.defect == "departs twice":
                    self.server.commit(self.namespace, writes, base)
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
        self.unsent.put(None)

    # Frames

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError
            data += more
        return data

    def next_text(self):
        """Returns the next text, joined from its frames; None at a close frame."""
        text = b""
        while True:
            first, second = self.exactly(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(self.exactly(2 if length == 126 else 8), "big")
            mask, payload = self.exactly(4), self.exactly(length)
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
            if first & 15 == 8:
                return None
            if first & 15 == 9:
                self.unsent.put(bytes([0x8A, len(payload)]) + payload)
            else:
                text += payload
                if first & 128:
                    return text.decode()

    def send(self, message):
        text = json.dumps(message)
        for piece in [text] if self.server.defect == "sends long frames" else cut(text):
            self.unsent.put(frame_of(piece.encode()))

    def send_all(self):
        while (data := self.unsent.get()) is not None:
            try:
                self.socket.sendall(data)
            except OSError:
                return

    def push(self, action, body):
        self.send({"t": "d", "d": {"a": action, "b": body}})

    # Messages

    def take(self, message):
        if message["t"] == "c":
            return self.send({"t": "c", "d": {"t": "o", "d": {}}})
        request = message["d"]
        with self.server.lock:
            status, data = getattr(self, f"do_{request['a']}", self.do_nothing)(request["b"])
            answer = {"t": "d", "d": {"r": request["r"], "b": {"s": status, "d": data}}}
            self.send(answer)
            if self.server.defect == "answers twice" and self.server.count % 50 == 7:
                self.send(answer)
        return None

    def do_nothing(self, body):
        return "ok", ""

    def do_auth(self, body):
        if body["cred"] != "owner":
            return "invalid_token", "Could not parse auth token."
        return "ok", {"auth": None}

    do_gauth = do_auth

    def do_q(self, body):
        place = keys_of(body["p"])
        query = query_of(body["q"]) if "q" in body else None
        node = model.child(self.server.trees.get(self.namespace), place)
        shown = node if query is None else query.window(node)
        if not body.get("h") or body["h"] != node_hash(shown):
            tag = {"t": body["t"]} if "t" in body else {}
            name = "/".join(place)
            if self.server.defect == "begins paths with a slash":
                name = f"/{name}"
            if self.server.defect != "leaves out first values" or self.server.count % 20:
                self.push("d", {"p": name, "d": shown, **tag})
        self.listens[(place, body.get("t"))] = query
        return "ok", "" if self.server.defect == "types an ok as text" else {}

    def do_n(self, body):
        if self.server.defect != "goes on after the end":
            self.listens.pop((keys_of(body["p"]), body.get("t")), None)
        return "ok", ""

    def do_g(self, body):
        node = model.child(self.server.trees.get(self.namespace), keys_of(body["p"]))
        return "ok", query_of(body["q"]).window(node) if body["q"] else node

    def do_p(self, body):
        place, defect = keys_of(body["p"]), self.server.defect
        if "h" in body and defect != "ignores hashes":
            if body["h"] != node_hash(model.child(self.server.trees.get(self.namespace), place)):
                if defect == "is stale without need":
                    return "datastale", "stale"
                return "datastale", "The data has changed."
            if defect == "is stale without need" and self.server.count % 3 == 0:
                return "datastale", "stale"
        self.server.commit(self.namespace, [(place, body["d"])], place)
        return "ok", ""

    def do_m(self, body):
        base = keys_of(body["p"])
        writes = [(base + keys_of(name), value) for name, value in body["d"].items()]
        if self.server.defect == "splits updates":
            for place, value in writes:
                self.server.commit(self.namespace, [(place, value)], place)
        elif self.server.defect == "loses half of an update":
            self.server.commit(self.namespace, writes[:1], base)
        else:
            self.server.commit(self.namespace, writes, base)
        return "ok", ""

    def do_o(self, body):
        place = keys_of(body["p"])
        self.leaving.append(([(place, body["d"])], place))
        return "ok", ""

    def do_om(self, body):
        base = keys_of(body["p"])
        self.leaving.append(([(base + keys_of(name), value) for name, value in body["d"].items()], base))
        return "ok", ""

    def do_oc(self, body):
        place = keys_of(body["p"])
        self.leaving = [(kept, base) for writes, base in self.leaving
                        if (kept := [write for write in writes if write[0][:len(place)] != place])]
        return "ok", ""

    # Pushes

    def notify(self, before, after, places, base):
        defect = self.server.defect
        if defect == "forgets a push" and self.server.count % 97 == 3:
            return
        untagged = [place for place, tag in self.listens if tag is None]
        for (place, tag), query in self.listens.items():
            if tag is None:
                is_covered = any(place != other and place[:len(other)] == other for other in untagged)
                if not is_covered:
                    self.notify_default(place, before, after, places, base)
                if defect == "pushes twice":
                    self.notify_default(place, before, after, places, base)
            else:
                self.notify_window(place, tag, query, before, after)

    def notify_default(self, place, before, after, places, base):
        old, new = model.child(before, place), model.child(after, place)
        if model.text(old) == model.text(new):
            return
        touched = [path for path in places if path[:len(place)] == place or place[:len(path)] == path]
        if any(len(path) <= len(place) for path in touched):
            return self.push("d", {"p": "/".join(place), "d": new})
        if len(places) == 1:
            return self.push("d", {"p": "/".join(touched[0]), "d": model.child(after, touched[0])})
        start = base if base[:len(place)] == place else place
        changes = {"/".join(path[len(start):]): model.child(after, path) for path in touched}
        self.push("m", {"p": "/".join(start), "d": changes})
        return None

    def notify_window(self, place, tag, query, before, after):
        old, new = query.window(model.child(before, place)) or {}, query.window(model.child(after, place)) or {}
        changes = {key: new.get(key) for key in [*old, *new] if model.text(old.get(key)) != model.text(new.get(key))}
        if self.server.defect == "keeps what leaves a window":
            changes = {key: value for key, value in changes.items() if value is not None}
        if not changes:
            return
        name = "/".join(place)
        if not old or not new:
            self.push("d", {"p": name, "d": new or None, "t": tag})
        elif len(changes) == 1:
            (key, value), = changes.items()
            self.push("d", {"p": f"{name}/{key}", "d": value, "t": tag})
        else:
            self.push("m", {"p": name, "d": changes, "t": tag})
