"""Conversations in files, which can be played from both ends: against the service, and against the clients of this folder.

A line is a letter and its arguments; placeholders are in double braces.

    # a comment; "only: service" in the first line: this file is not played against the clients
    R METHOD PATH JSON    a request by REST as the owner, with a value, that is answered with 200
    O TARGET              the client opens a socket
    H NAME: VALUE         a header field of that request; lines of this kind precede their O
    C MESSAGE             the client sends it; without an envelope when that is {"t":"d","d":…}
    F TEXT                the client sends a frame
    S MESSAGE             the server sends it, and nothing before it
    s MESSAGE             the same, in any order with the lines s beside it
    X                     the client ends the connection with a close frame
    E CODE                the server closes the connection with that code
    D ACTION              an action of the client's program, for playing a file against a client
    V PATH JSON           the client's view of a path at that moment
    G TARGET              a request by HTTP; A STATUS TYPE: its answer; | TEXT: a line of its body
"""

import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent / "transcripts"
PLACEHOLDER = re.compile(r"\{\{([a-z0-9 ]+)\}\}\Z")
LONG = re.compile(r"\{\{long ([0-9]+) (.)\}\}")
KINDS = {
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "owner": lambda value: isinstance(value, dict) and value.get("auth", "") is None,
    "nothing": lambda value: value is None or value == {},
    "refusal": lambda value: isinstance(value, str) and value != "ok",
    "anything": lambda value: True,
}


class Mismatch(AssertionError):
    """A line of a file that was not followed."""


class Transcript:
    """A file, and the values of its placeholders while it is played."""

    def __init__(self, path, **known):
        self.path, self.known = path, known
        lines = path.read_text().splitlines()
        self.is_for_clients = "only: service" not in lines[0]
        self.lines = [(number, line[0], line[2:]) for number, line in enumerate(lines, 1) if line and line[0] != "#"]
        self.letters = {number: letter for number, letter, _ in self.lines}

    def fill(self, text):
        """Returns the text with known values in place of its placeholders."""
        text = LONG.sub(lambda match: match[2] * int(match[1]), text)
        for name, value in self.known.items():
            if isinstance(value, str):
                text = text.replace("{{" + name + "}}", value)
        return text

    def message(self, text):
        """Returns a message as JSON, in its envelope."""
        message = json.loads(self.fill(text))
        return message if message.keys() == {"t", "d"} else {"t": "d", "d": message}

    def expect(self, number, wanted, found):
        """Compares a found value with the expected one, and stores the values of unknown placeholders."""
        if not self.matches(wanted, found):
            raise Mismatch(f"{self.path.name}:{number}: expected {json.dumps(wanted, ensure_ascii=False)[:1500]}, "
                           f"found {json.dumps(found, ensure_ascii=False)[:1500]}")

    def matches(self, wanted, found):
        if isinstance(wanted, str) and (match := PLACEHOLDER.match(wanted)):
            name = match[1]
            if name in KINDS:
                return KINDS[name](found)
            return self.matches(self.known.setdefault(name, found), found)
        if isinstance(wanted, dict) and isinstance(found, dict):
            return wanted.keys() == found.keys() and all(self.matches(wanted[key], found[key]) for key in wanted)
        if isinstance(wanted, list) and isinstance(found, list):
            return len(wanted) == len(found) and all(map(self.matches, wanted, found))
        if isinstance(wanted, bool) or isinstance(found, bool):
            return wanted is found
        return wanted == found and isinstance(wanted, str) == isinstance(found, str)


def every():
    return sorted(FOLDER.glob("*.txt"))
