"""The messages of a client on a connection: the beginning, requests and their answers, tokens, pings. It checks the
guarantees that the vendor's clients rely on: each frame, each type, each answer once.
"""

import collections
import dataclasses
import json
import time
import typing

import wire
from frames import Violation, WebSocket
from views import Views
from wire import demand


@dataclasses.dataclass(eq=False)
class Request:
    action: str
    body: dict
    on_answer: typing.Any


class Session:
    """A connection of one dialect, and its successors. It does nothing until `pump` is called, which reads received messages."""

    trace = None  # A file for all messages.

    def __init__(self, name, dialect, address, host, namespace, credential=None, choices=None):
        self.name, self.dialect, self.address, self.host = name, dialect, address, host
        self.namespace, self.credential, self.choices = namespace, credential, choices
        self.count = dialect.first_request
        self.last_tag = 0
        self.has_no_app_check = False  # Whether it sends at the beginning that it has no token of App Check.
        self.views = Views()
        self.writes, self.gets = [], []
        self.story = collections.deque(maxlen=60)
        self.heard = collections.Counter()
        self.socket, self.session, self.identity = None, None, None
        self.reset()

    def reset(self):
        self.requests = {}
        self.assembler = wire.Assembler()
        self.is_greeted = self.is_ready = self.has_shut = False
        self.pongs = 0

    # The connection

    def connect(self, forgets_session=False):
        """Opens a socket; raises OSError when there is no server."""
        last = None if forgets_session else self.session
        target = self.dialect.opening(self.namespace, last)
        self.reset()
        self.note(f"GET {target}")
        self.socket = WebSocket(self.address, target, self.host, self.dialect.headers(self.host), self.choices)

    @property
    def is_connected(self):
        return self.socket is not None

    @property
    def is_busy(self):
        """Whether any request is unanswered."""
        return not self.is_ready or bool(self.requests or self.writes or self.gets or self.pongs)

    def note(self, line):
        self.story.append(f"{time.time():.3f} {line[:400]}")
        if self.trace is not None:
            print(f"{time.time():.4f} {self.name}: {line}", file=self.trace)

    def pump(self):
        """Reads the server's messages; returns True while the connection is open."""
        if self.socket is None:
            return False
        for text in self.socket.texts():
            if self.assembler.wanted == 0:
                self.note(f"S {text}")
            self.heard["frames"] += 1
            message = self.assembler.message(text)
            if message is not None:
                self.take(message)
            if self.socket is None:
                return False
        if self.socket.end is not None:
            self.drop(None)
        return self.socket is not None

    def drop(self, way):
        """Ends the connection in one of several ways; None: it has ended. Unanswered requests may have been done or not."""
        if self.socket is None:
            return
        if way is None:
            self.note(f"the connection has ended: {self.socket.end}")
            way = "cut"
        else:
            self.note(f"the client ends the connection: {way}")
        self.socket.close(way)
        self.socket = None
        self.on_drop()
        self.reset()
        for listen in list(self.views.listens):
            listen.was_live = listen.is_fresh = False
            listen.asked = 0
            if listen.state == "ending":
                self.views.listens.remove(listen)
            else:
                listen.state = "new"
        for write in list(self.writes):
            if write.hash is not None:
                self.finish(write, "disconnect", None)

    def on_drop(self):
        """A hook of subclasses for the end of a connection."""

    # Sending

    def transmit(self, message):
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        self.note(f"C {text}")
        for piece in wire.cut(text):
            self.socket.send(piece)

    def request(self, action, body, on_answer=None):
        number, self.count = self.count, self.count + 1
        self.requests[number] = Request(action, body, on_answer)
        self.transmit({"t": "d", "d": {"r": number, "a": action, "b": body}})

    def keep_alive(self):
        self.note("C 0")
        self.socket.send("0")

    def ping(self):
        """Sends the protocol's own ping."""
        self.pongs += 1
        self.transmit({"t": "c", "d": {"t": "p", "d": {}}})

    # The beginning

    def greet(self, hello):
        wire.check_hello(hello, self.host)
        self.is_greeted, self.session = True, hello["s"]
        self.request("s", {"c": {self.dialect.stats: 1}}, self.expect_ok(""))
        if self.credential is not None:
            self.authenticate(self.credential, self.begin)
        if self.has_no_app_check:
            self.request(self.dialect.no_app_check, {}, self.expect_ok(""))
        if self.credential is None or self.dialect.is_whole_at_once:
            self.restore()

    def authenticate(self, credential, on_ok=None):
        action, body = self.dialect.auth(credential)

        def answered(status, data):
            demand(status == "ok", f"{self.name}: {action} was answered with {status}: {data}")
            demand(isinstance(data, dict) and ("auth" in data), f"{action}'s ok carries {data}")
            self.identity = data["auth"]
            if on_ok:
                on_ok()

        self.request(action, body, answered)

    def begin(self):
        if not self.is_ready:
            self.restore()

    def refresh(self, credential, on_ok=None):
        """Sends a new token; some clients then repeat their requests."""
        self.credential = credential

        def again():
            if self.dialect.repeats_after_refresh and self.is_ready:
                self.restore()
            if on_ok:
                on_ok()

        self.authenticate(credential, again)

    def spoil(self, credential):
        """Sends an invalid token; a client that receives the refusal ends the connection."""
        action, body = self.dialect.auth(credential)

        def answered(status, data):
            demand(status in ("invalid_token", "expired_token"), f"a bad token was answered with {status}: {data}")
            self.drop("close frame")

        self.request(action, body, answered)

    def expect_ok(self, wanted):
        def answered(status, data):
            demand(status == "ok" and data == wanted and type(data) is type(wanted),
                   f"{self.name}: the answer is {status} {data!r}, expected ok {wanted!r}")
        return answered

    # Receiving

    def take(self, message):
        kind = wire.check(message)
        body = message["d"]
        self.heard[kind] += 1
        if not self.is_greeted:
            demand(kind == "control" and body["t"] == "h", f"the first message is {body}, not a hello")
            return self.greet(body["d"])
        if kind == "control":
            return self.take_control(body["t"], body["d"])
        if kind == "answer":
            request = self.requests.pop(body["r"], None)
            demand(request is not None, f"an answer to {body['r']}, which was answered before or never sent")
            self.heard[f"{request.action} {body['b']['s']}"] += 1
            if request.action in ("p", "m"):
                # Clients apply their unacknowledged writes on top of pushes, in their order.
                earlier = [number for number, one in self.requests.items() if number < body["r"] and one.action in ("p", "m")]
                demand(not earlier, f"the write {body['r']} was answered before the writes {earlier[:5]}")
            if request.on_answer:
                request.on_answer(body["b"]["s"], body["b"]["d"])
            return None
        return self.take_push(body["a"], body["b"])

    def take_control(self, kind, data):
        if kind == "o":
            demand(self.pongs > 0, "an answer to a ping that was not sent")
            self.pongs -= 1
        elif kind in ("r", "s"):
            demand(kind == "r", f"the server refuses this client: {data}")
            self.has_shut = True
        else:
            raise Violation(f"the control message {kind} in the middle: {data}")

    def take_push(self, action, body):
        if action in ("d", "m"):
            for listen in self.views.apply(action, body):
                self.on_change(listen)
        elif action == "c":
            place = wire.path_of(body["p"])
            listens = [listen for listen in self.views.listens if listen.path == place and listen.state in ("sent", "live")]
            demand(bool(listens), f"a revocation at {body['p']!r}, which has no listener")
            self.on_revocation(listens, body.get("q"))
        elif action == "ac":
            self.on_expiry(body)

    def on_expiry(self, body):
        raise Violation(f"the server reports that the token of {self.name} has expired: {body}")
