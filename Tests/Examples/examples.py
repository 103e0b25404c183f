"""Runs the built examples as their users would: examples.py FOLDER OWN, the folders of their programs."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

import phone

from harness.ports import free_port
from harness.waiting import PATIENCE, eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]


def thumbnails(program, folder):
    """Photos become two thumbnails each; missing and truncated ones are refused, and do not stop the others."""
    photos = [ROOT / "Fixtures" / name for name in ("missing.jpg", "truncated-plain.gif", "photo.jpg", "alpha.heic")]
    run = subprocess.run([program, folder, *photos], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 3, run
    assert "missing.jpg: refused: " in run.stdout and "truncated-plain.gif: refused: " in run.stdout, run
    made = sorted(path.name for path in folder.iterdir())
    assert made == ["alpha-large.jpg", "alpha-tile.webp", "photo-large.jpg", "photo-tile.webp"], made
    assert (folder / "photo-large.jpg").read_bytes().startswith(b"\xff\xd8"), "no JPEG"
    assert (folder / "photo-tile.webp").read_bytes()[8:12] == b"WEBP", "no WebP"
    usage = subprocess.run([program], capture_output=True, text=True, timeout=PATIENCE)
    assert usage.returncode == 2 and "usage: " in usage.stdout, usage


class Chat:
    """A running chat server on a file."""

    def __init__(self, program, file):
        self.address = f"http://127.0.0.1:{(port := free_port())}/messages"
        self.process = subprocess.Popen([program, file, str(port)], stdout=subprocess.PIPE, text=True)
        eventually("the server", self.messages)

    def request(self, path, method="GET", value=None, headers=()):
        body = None if value is None else json.dumps(value).encode()
        return urllib.request.Request(self.address + path, body, dict(headers), method=method)

    def send(self, path, value):
        """Writes a value; returns the status."""
        try:
            with urllib.request.urlopen(self.request(path, "PUT", value), timeout=PATIENCE) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    def messages(self):
        """Returns the texts of all messages by their keys; nothing while the server is not there."""
        try:
            with urllib.request.urlopen(self.request(".json"), timeout=PATIENCE) as response:
                return {key: message["text"] for key, message in (json.load(response) or {}).items()}
        except OSError:
            return None

    def end(self):
        """Ends the server as Ctrl-C does; returns its output."""
        self.process.send_signal(signal.SIGINT)
        output, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, self.process.returncode
        return output


def chat(program, folder):
    """Messages reach listeners and the program, rules refuse the others, and all are there after a restart."""
    server = Chat(program, folder / "chat.sqlite")
    eventually("the program's own message", lambda: "The chat is open." in server.messages().values())
    stream = urllib.request.urlopen(
        server.request(".json", headers={"Accept": "text/event-stream"}), timeout=PATIENCE)
    events = []
    reader = threading.Thread(target=lambda: events.extend(iter(stream.readline, b"")), daemon=True)
    reader.start()
    eventually("the first event", lambda: any(b"The chat is open." in line for line in events))
    assert server.send("/first.json", {"text": "hello"}) == 200
    eventually("the event of a message", lambda: any(b'"hello"' in line for line in events))
    assert server.send("/first.json", {"text": "again"}) == 401, "a message was replaced"
    assert server.send("/second.json", {"text": 7}) == 401, "a message without a text was accepted"
    output = server.end()
    assert "/first: hello" in output or "first: hello" in output, output
    reader.join(PATIENCE)
    server = Chat(program, folder / "chat.sqlite")
    assert server.messages()["first"] == "hello", server.messages()
    taken = subprocess.run(
        [program, folder / "other.sqlite", server.address.split(":")[2].split("/")[0]],
        capture_output=True, text=True, timeout=PATIENCE)
    assert taken.returncode == 1 and re.search("^chat: .* in use", taken.stdout, re.MULTILINE), taken
    assert not taken.stderr, taken
    server.end()


def tintype_phone(program, folder):
    """The app goes on without a network, survives its end, and sends each write once."""
    phone.play(program.with_name("tintype"), program, folder, ROOT / "Fixtures" / "photo.jpg")


def events(program, folder):
    """An app's own entities come from JSON files, one fault for the one that cannot be decoded; no server is compiled."""
    run = subprocess.run([program, ROOT / "Examples/Events/Stub"], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run
    lines = run.stdout.splitlines()
    assert lines[:2] == [
        "2026-06-01T08:00:00Z Meeting of the board", "2026-07-01T10:00:00Z Summer at the lake, North shore"], run
    assert len(lines) == 3 and lines[2].startswith("fault: broken"), run
    missing = subprocess.run([program, folder], capture_output=True, text=True, timeout=PATIENCE)
    assert missing.returncode == 1 and "events.json" in missing.stdout, missing
    # Neither the service nor a package that it needs was compiled for this program.
    compiled = {path.relative_to(program.parent).parts[0] for path in program.parent.rglob("*.o")} - {"Modules"}
    modules = {"events", "TintypeModel", "TintypeClient", "TintypeTestSupport"}
    assert compiled == {module + ".build" for module in modules}, compiled
    assert {path.stem for path in (program.parent / "Modules").glob("*.swiftmodule")} == modules


def main():
    """Runs the programs of a folder, and that of a package that was built in a folder of its own."""
    programs, own = (pathlib.Path(argument) for argument in sys.argv[1:])
    examples = {
        programs / "thumbnails": thumbnails, programs / "chat": chat, programs / "tintype-phone": tintype_phone,
        own / "events": events,
    }
    for program, example in examples.items():
        with tempfile.TemporaryDirectory() as folder:
            example(program, pathlib.Path(folder))
        print(f"{program.name}: {example.__doc__}")


main()
