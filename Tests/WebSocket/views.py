"""A client's view of the tree: one value for each of its listeners, and only pushed data."""

import dataclasses
import typing

import model
from frames import Violation
from wire import path_of


@dataclasses.dataclass(eq=False)
class Listen:
    """A listener of a client. `value` is that of its path, or of the window of its query."""

    path: tuple
    query: typing.Any = None
    tag: typing.Optional[int] = None
    state: str = "new"  # new, sent, live, ending
    value: typing.Any = None
    is_fresh: bool = False  # Whether data has arrived since it was last sent.
    asked: int = 0  # The number of its unanswered requests.
    was_live: bool = False  # Whether it was answered on this connection before it was sent again.
    hash: str = ""  # The hash with which it was last sent.
    # By part with one writer: the shown text, and the steps that it may belong to.
    positions: dict = dataclasses.field(default_factory=dict)
    may_jump: bool = True  # Whether the next push may contain several commits, like a first value.
    since: int = 0  # The number of the request with which it was last sent.

    @property
    def is_filled(self):
        """Whether the server has confirmed its value on this connection."""
        return self.is_fresh or self.was_live or self.state in ("live", "ending") and not self.asked

    @property
    def name(self):
        return "/" + "/".join(self.path) + (f" {self.query}" if self.query else "")


class Views:
    """The listeners of a connection, and pushes applied to them as strictly as in the strictest client."""

    def __init__(self):
        self.listens = []

    def of_tag(self, tag):
        for listen in self.listens:
            if listen.tag == tag:
                return listen
        raise Violation(f"a push for the tag {tag}, which belongs to no listener")

    def apply(self, action, body):
        """Applies a push, and returns the listeners that it changed or filled."""
        base = path_of(body["p"])
        writes = [(base, body["d"])] if action == "d" else [
            (base + path_of(key, is_key=True), value) for key, value in body["d"].items()]
        may_repeat = False
        if "t" in body:
            listens = [self.of_tag(body["t"])]
            if base[:len(listens[0].path)] != listens[0].path:
                raise Violation(f"a push at {body['p']!r} for the tag {body['t']} of {listens[0].name}")
        else:
            listens = [listen for listen in self.listens if listen.tag is None and listen.state != "new"]
            if not any(is_above(listen.path, base) for listen in listens):
                raise Violation(f"a push at {body['p']!r}, which has no listener")
            # Where one default listener begins or ends above another, a client may receive a commit once for each.
            may_repeat = sum(any(is_above(listen.path, path) for path, _ in writes) for listen in listens) > 1
        changed = [listen for listen in listens if self.fill(listen, action, base, writes)]
        is_awaited = action == "d" and any(listen.path == base and listen.asked for listen in listens)
        if not changed and not is_awaited and not may_repeat:
            raise Violation(f"a push at {body['p']!r} that changes nothing")
        return changed

    def fill(self, listen, action, base, writes):
        """Applies the writes to a listener. Returns whether they changed a confirmed value."""
        is_whole = action == "d" and base == listen.path
        is_first = is_whole and not listen.is_filled
        if not listen.is_filled and not is_first and not listen.hash:
            # A push before its own first value belongs to another listener.
            if listen.tag is not None:
                raise Violation(f"a push at {base} for {listen.name}, which has had no first value")
            return False
        before, listen.value = listen.value, after(listen.value, listen.path, writes)
        if is_whole:
            listen.is_fresh = True
        if not listen.is_filled:
            return False
        if listen.query and model.text(listen.query.window(listen.value)) != model.text(plain(listen.value)):
            raise Violation(f"after a push the window of {listen.name} contains data outside the query: {listen.value}")
        return is_first or model.text(listen.value) != model.text(before)


def is_above(path, other):
    """Whether a path is another one, or a parent of it."""
    return other[:len(path)] == path


def after(value, place, writes):
    """Returns the value of a path after writes at it, below it or above it."""
    for path, new in writes:
        if path[:len(place)] == place:
            value = model.put(value, path[len(place):], new)
        elif place[:len(path)] == path:
            value = model.child(model.normal(new), place[len(path):])
    return value


def plain(value):
    """Returns the value without the priority of the node itself, which a window does not have."""
    return model.with_priority(value, None)
