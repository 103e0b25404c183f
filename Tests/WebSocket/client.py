"""A client of the WebSocket protocol with the guarantees of the vendor's clients: its listeners, its unanswered writes, and its
view of the tree.
"""

import dataclasses
import typing

import model
import wire
from frames import Violation
from hashes import node_hash
from session import Session
from views import Listen
from wire import demand

STATUSES = {"ok", "datastale", "permission_denied", "invalid_token", "expired_token", "too_big", "write_too_big", "unavailable",
            "invalid_request", "error", "failed", "disconnected", "failure"}


@dataclasses.dataclass(eq=False)
class Write:
    """A put or a merge that is sent until it is answered; with `hash` (a transaction's) at most once."""

    action: str
    path: str
    value: typing.Any
    hash: typing.Optional[str] = None
    on_answer: typing.Any = None  # Called with the status, or "disconnect".
    on_send: typing.Any = None  # Called each time that it is sent; its result is passed on with the answer.
    is_over: bool = False


class Client(Session):
    """A client of one dialect."""

    def restore(self):
        """Sends all listeners, writes and reads again."""
        self.is_ready = True
        for listen in self.views.listens:
            if listen.state in ("new", "live", "sent"):
                self.send_listen(listen)
        for write in self.writes:
            self.send_write(write)
        for get in self.gets:
            self.send_get(get)

    # Listens

    def listen(self, place, query=None):
        if query is not None:
            self.last_tag += 1
        listen = Listen(place, query, None if query is None else self.last_tag)
        self.views.listens.append(listen)
        if self.is_ready:
            self.send_listen(listen)
        return listen

    def listen_body(self, listen):
        body = {"p": "/" + "/".join(listen.path)}
        if listen.query is not None:
            body.update(q=self.dialect.query(listen.query), t=listen.tag)
        return body

    def send_listen(self, listen):
        if listen.state == "live":
            listen.was_live = True
        listen.state, listen.is_fresh = "sent", False
        listen.asked += 1
        listen.hash = node_hash(listen.value)

        def answered(status, data):
            listen.asked -= 1
            if listen not in self.views.listens:
                return
            if status != "ok":
                demand(isinstance(data, str), f"a listen's refusal carries {data!r}")
                demand(status in STATUSES and not listen.is_fresh, f"{listen.name} has received data, and then {status}")
                self.views.listens.remove(listen)
                return self.on_refusal(listen, status)
            demand(isinstance(data, dict) and data.keys() <= {"w"}, f"a listen's ok carries {data!r}")
            demand(data.get("w", ["no_index"]) == ["no_index"], f"a listen's warning is {data.get('w')}")
            demand(listen.is_fresh or listen.hash or listen.was_live, f"{listen.name} was acknowledged before its data")
            if listen.state == "sent":
                listen.state = "live"
                self.on_change(listen)

        body = {**self.listen_body(listen), **self.dialect.resumption(listen.hash, listen.value)}
        self.request("q", body, answered)

    def unlisten(self, listen):
        if not self.is_ready or listen.state == "new":
            self.views.listens.remove(listen)
            return
        listen.state = "ending"

        def answered(status, data):
            self.expect_ok("")(status, data)
            if listen in self.views.listens:
                self.views.listens.remove(listen)

        self.request("n", self.listen_body(listen), answered)

    def on_refusal(self, listen, status):
        raise Violation(f"{self.name} may not listen to {listen.name}: {status}")

    def on_revocation(self, listens, query):
        raise Violation(f"the listeners of {self.name} were revoked: {[listen.name for listen in listens]}")

    def on_change(self, listen):
        """A hook of subclasses for a new view."""

    # Writes and reads

    def write(self, write):
        self.writes.append(write)
        if self.is_ready:
            self.send_write(write)

    def send_write(self, write):
        body = {"p": write.path, "d": write.value}
        if write.hash is not None:
            body["h"] = write.hash
        mark = write.on_send() if write.on_send else None

        def answered(status, data):
            demand(isinstance(data, str) and (data == "" or status != "ok"), f"a write's answer is {status} {data!r}")
            demand(status in STATUSES, f"a write's status is {status}")
            self.finish(write, status, mark)

        self.request(write.action, body, answered)

    def finish(self, write, status, mark):
        if not write.is_over:
            write.is_over = True
            self.writes.remove(write)
            if write.on_answer:
                write.on_answer(status, mark)

    def on_disconnect(self, action, place, value, on_answer):
        """Registers a disconnect write (o, om), or cancels it (oc)."""
        def answered(status, data):
            demand(isinstance(data, str) and (data == "" or status != "ok"), f"{action} was answered with {status} {data!r}")
            on_answer(status)
        self.request(action, {"p": "/" + "/".join(place), "d": value}, answered)

    def get(self, place, query, on_answer):
        get = [place, query, on_answer]
        self.gets.append(get)
        if self.is_ready:
            self.send_get(get)

    def send_get(self, get):
        place, query, on_answer = get

        def answered(status, data):
            if status == "ok":
                wire.check_export(data)
            if get in self.gets:
                self.gets.remove(get)
                on_answer(status, data)

        self.request("g", {"p": "/" + "/".join(place), "q": self.dialect.query(query) if query else {}}, answered)

    # The view of the tree

    def view(self, place):
        """Returns the value of a path, if a default listener covers it; and whether one does."""
        for listen in self.views.listens:
            if listen.query is None and listen.state == "live" and place[:len(listen.path)] == listen.path:
                return True, model.child(listen.value, place[len(listen.path):])
        return False, None
