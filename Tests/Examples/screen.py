"""A small terminal: a program in it sees a real one, and a test sees what it shows."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import unicodedata

from harness.waiting import PATIENCE, SOON, eventually

# The sequences that the program under test may send. Any other one is a mistake, or another person's text.
SEQUENCE = re.compile(r"\x1b\[(\?)?([0-9;]*)([A-Za-z])")
KNOWN = {"H", "G", "J", "K", "m", "h", "l"}


def width(character):
    """Returns the columns of a character, as a simple terminal sees it, which knows nothing of joined emoji."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """What a terminal shows, in rows of cells."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.modes = set()
        self.styles = set()
        self.rest = ""

    def show(self, text):
        """Takes what the program writes."""
        text = self.rest + text
        index, self.rest = 0, ""
        while index < len(text):
            if text[index] == "\x1b":
                match = SEQUENCE.match(text, index)
                if not match:
                    # The sequence is not complete yet, or is none of these.
                    assert re.fullmatch(r"\x1b(\[(\?)?[0-9;]*)?", text[index:]), f"sent {text[index:index + 20]!r}"
                    self.rest = text[index:]
                    return
                self.obey(*match.groups())
                index = match.end()
            else:
                assert text[index] in "\r\n" or unicodedata.category(text[index]) != "Cc", f"sent {text[index]!r}"
                self.put(text[index])
                index += 1

    def obey(self, private, parameters, command):
        assert command in KNOWN, f"sent ESC [{parameters}{command}"
        numbers = [int(part or 0) for part in parameters.split(";")]
        if command == "H":
            self.row, self.column = (numbers + [1])[0] - 1, (numbers + [1, 1])[1] - 1
            assert 0 <= self.row < self.rows, f"row {self.row}"
        elif command == "G":
            self.column = numbers[0] - 1
        elif command == "J":
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif command == "K":
            start = 0 if numbers[0] == 2 else self.column
            self.cells[self.row][start:] = [" "] * (self.columns - start)
        elif command == "m":
            self.styles.add(parameters)
        elif private:
            (self.modes.add if command == "h" else self.modes.discard)(parameters)

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif not (columns := width(character)):
            place = max(0, min(self.column, self.columns) - 1)
            self.cells[self.row][place] += character
        else:
            place = min(self.column, self.columns - columns)
            self.cells[self.row][place:place + columns] = [character] + [""] * (columns - 1)
            self.column += columns

    def lines(self):
        """Returns the rows as texts."""
        return ["".join(row).rstrip() for row in self.cells]

    def __contains__(self, text):
        return any(text in line for line in self.lines())

    def __str__(self):
        return "\n".join(self.lines())


def fresh_settings():
    """Returns the settings of a terminal in which no program has run."""
    ends = pty.openpty()
    try:
        return termios.tcgetattr(ends[0])
    finally:
        for end in ends:
            os.close(end)


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, arguments, columns=80, rows=24, environment=None):
        self.screen = Screen(columns, rows)
        self.output = b""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(arguments[0], [str(part) for part in arguments], {**os.environ, **(environment or {})})
        self.decoded = 0
        self.status = None

    def read(self, seconds):
        """Shows what the program has written, or waits some time for it."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return
        try:
            self.output += os.read(self.descriptor, 65536)
        except OSError:  # The program has ended.
            return
        # A character whose last bytes are missing waits for them.
        text = self.output[self.decoded:].decode("utf-8", errors="ignore")
        self.decoded += len(text.encode())
        self.screen.show(text)

    def wait(self, *texts, gone=(), patience=SOON):
        """Waits until the screen shows all texts, and none of those that must be gone."""
        def is_shown():
            return all(text in self.screen for text in texts) and not any(text in self.screen for text in gone)
        eventually(f"{texts} without {gone}", is_shown, lambda: str(self.screen), patience, self.read)

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def resize(self, columns, rows):
        self.screen = Screen(columns, rows)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settings(self):
        return termios.tcgetattr(self.descriptor)

    def kill(self):
        self.end(signal.SIGKILL)

    def end(self, number=None):
        """Waits for the end of the program, after a signal if one is given; returns its status."""
        if self.status is None:
            if number:
                os.kill(self.process, number)

            def status():
                ended, status = os.waitpid(self.process, os.WNOHANG)
                return (status,) if ended else None

            self.status = eventually("the end", status, lambda: str(self.screen), PATIENCE, self.read)[0]
            self.read(0)
        return self.status

    def close(self):
        """Ends the program if it is still there."""
        self.kill()
        os.close(self.descriptor)
