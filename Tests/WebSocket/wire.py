"""Messages of the Realtime Database's WebSocket protocol, version 5: how frames become messages, and the valid shapes of these."""

import json
import re

from frames import Violation

UNITS = 16_384  # The UTF-16 units of a frame.
MAX_NAME, MIN_NAME = "[MAX_NAME]", "[MIN_NAME]"
CONTROLS = {"h": dict, "r": str, "s": str, "e": str, "o": (dict, type(None)), "p": dict}
COUNT = re.compile(r"[1-9][0-9]{0,3}\Z")
BAD_KEY = re.compile(r"[.$#\[\]/\x00-\x1f\x7f]")


def units(text):
    """Returns the number of UTF-16 units of a text."""
    return len(text) + sum(character > "\uffff" for character in text)


def cut(text, size=UNITS):
    """Returns the frames of a message as clients send them: first the number of pieces, when there are several."""
    data = text.encode("utf-16-le")
    if len(data) <= 2 * size:
        return [text]
    pieces = [data[start:start + 2 * size] for start in range(0, len(data), 2 * size)]
    # A browser replaces each half of a pair that it has cut.
    return [str(len(pieces)), *(piece.decode("utf-16-le", "replace") for piece in pieces)]


def without_repetition(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Violation(f"an object with a key twice: {[key for key, _ in pairs]}")
    return value


def no_number(text):
    raise Violation(f"{text} is not JSON")


def parse(text):
    try:
        return json.loads(text, object_pairs_hook=without_repetition, parse_constant=no_number)
    except ValueError as error:
        raise Violation(f"a message is not JSON: {error}") from error


class Assembler:
    """Puts frames together."""

    def __init__(self):
        self.pieces, self.wanted = [], 0

    def message(self, text):
        """Returns the message that a frame completes, as JSON; None when more frames belong to it."""
        if units(text) > UNITS:
            raise Violation(f"a frame of {units(text)} units")
        if not text:
            raise Violation("an empty frame")
        if self.wanted:
            self.pieces.append(text)
            if len(self.pieces) < self.wanted:
                return None
            text, self.pieces, self.wanted = "".join(self.pieces), [], 0
            return parse(text)
        if len(text) <= 6 and text[0] != "{":
            if not COUNT.match(text) or text == "1":
                raise Violation(f"the frame {text!r} announces no number of frames that all clients understand")
            self.wanted = int(text)
            return None
        return parse(text)


def demand(condition, sentence):
    if not condition:
        raise Violation(sentence)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check(message):
    """Checks the shape of a server's message, and returns its kind: control, answer or push."""
    demand(isinstance(message, dict) and message.keys() == {"t", "d"} and message["t"] in ("c", "d"), "no envelope")
    body = message["d"]
    demand(isinstance(body, dict), "an envelope without an object")
    if message["t"] == "c":
        demand(body.keys() == {"t", "d"} and body["t"] in CONTROLS, f"an unknown control message {body}")
        demand(isinstance(body["d"], CONTROLS[body["t"]]), f"a control message of another type: {body}")
        return "control"
    if "r" in body:
        demand(body.keys() == {"r", "b"} and is_integer(body["r"]), f"an answer of another shape: {list(body)}")
        answer = body["b"]
        demand(isinstance(answer, dict) and answer.keys() - {"token"} == {"s", "d"} and isinstance(answer["s"], str),
               f"an answer without status and data: {answer}")
        # The extension of an answer to a write: the number of its change.
        demand(str(answer.get("token", "0")).isdigit() and isinstance(answer.get("token", ""), str),
               f"an answer whose token is no number: {answer}")
        return "answer"
    demand(body.keys() == {"a", "b"} and isinstance(body["b"], dict), f"a push of another shape: {list(body)}")
    check_push(body["a"], body["b"])
    return "push"


def check_hello(hello, host):
    demand(hello.keys() == {"ts", "v", "h", "s"}, f"a hello with {sorted(hello)}")
    demand(is_integer(hello["ts"]) and hello["ts"] > 1_600_000_000_000, f"a hello's time is {hello['ts']!r}")
    demand(hello["v"] == "5", f"a hello of version {hello['v']!r}")
    demand(hello["h"] == host, f"a hello names the host {hello['h']!r}, the request named {host!r}")
    demand(isinstance(hello["s"], str) and len(hello["s"]) >= 4, f"a hello's session is {hello['s']!r}")


def check_push(action, body):
    if action in ("d", "m"):
        demand({"p", "d"} <= body.keys() <= {"p", "d", "t"}, f"a push {action} with {sorted(body)}")
        demand("t" not in body or is_integer(body["t"]), f"a tag is {body.get('t')!r}")
        path_of(body["p"])
        if action == "d":
            check_export(body["d"])
            return
        demand(isinstance(body["d"], dict) and body["d"], "a push m without a non-empty object")
        paths = sorted(path_of(key, is_key=True) for key in body["d"])
        for path, following in zip(paths, paths[1:]):
            demand(following[:len(path)] != path, f"a push m with the path {path} and, below it, {following}")
        for value in body["d"].values():
            check_export(value)
    elif action == "c":
        demand({"p"} <= body.keys() <= {"p", "q"}, f"a revocation with {sorted(body)}")
        path_of(body["p"])
        demand(isinstance(body.get("q", []), list), "a revocation whose q is not a list")
    elif action in ("ac", "apc"):
        demand(body.keys() == {"s", "d"} and all(isinstance(value, str) for value in body.values()),
               f"a push {action} is {body}")
    else:
        demand(action == "sd" and isinstance(body.get("msg"), str), f"an unknown push {action}")


def path_of(text, is_key=False):
    """Returns the keys of a path in a server's message: without slashes at its ends, and without reserved characters."""
    demand(isinstance(text, str), f"a path is {text!r}")
    if text == "":
        demand(not is_key, "an empty key in a push")
        return ()
    keys = tuple(text.split("/"))
    demand(all(keys), f"a path with empty keys, or a slash before or behind it: {text!r}")
    demand(not any(BAD_KEY.search(key) for key in keys), f"a path with reserved characters: {text!r}")
    return keys


def check_export(value, depth=0):
    """Checks a value: values are in export form, without arrays. Only a complete value can be empty."""
    demand(not isinstance(value, list), "an array in a push")
    demand(value is not None or depth == 0, "null within a value")
    if not isinstance(value, dict):
        return
    demand(value or depth == 0, "an empty object within a value")
    priority = value.get(".priority")
    demand(".priority" not in value or isinstance(priority, (str, int, float)) and not isinstance(priority, bool),
           f"a priority is {priority!r}")
    if ".value" in value:
        demand(value.keys() == {".value", ".priority"}, f".value is beside {sorted(value)}")
        demand(value[".value"] is not None and not isinstance(value[".value"], (dict, list)), "a .value that is not a leaf")
        return
    demand(value.keys() != {".priority"}, "a priority of nothing")
    for key, child in value.items():
        if key != ".priority":
            demand(key != "" and not BAD_KEY.search(key), f"a key with reserved characters: {key!r}")
            check_export(child, depth + 1)
