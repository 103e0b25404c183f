"""The built service, for tests that look at its pages, and people who have accounts there."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import urllib.error
import urllib.request

from harness.service import Service
from harness.waiting import eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSWORD = "correct horse"


class Person:
    def __init__(self, answer, name):
        self.uid, self.token, self.email, self.name = answer["localId"], answer["idToken"], answer["email"], name

    def session(self, running):
        """Returns the session that a page stores for the signed-in person; each page has its own session."""
        answer = running.ask("/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=test", body={
            "email": self.email, "password": PASSWORD, "returnSecureToken": True})
        return json.dumps({"user": {"uid": self.uid, "name": self.name, "email": self.email, "picture": None},
                           "refreshToken": answer["refreshToken"]})


class Gallery(Service):
    """The service at an address; it can be killed, and started again at the same address."""

    def __init__(self, folder, arguments):
        super().__init__(os.environ["TINTYPE"], folder / "Storage", arguments, log_level="info")
        self.folder, self.address = folder, "127.0.0.1:0"
        self.start()

    def start(self):
        assert super().start(["--listen", self.address]), self.said()
        found = eventually("an address", lambda: re.search(r"listening on (http://(\S+?))/?\n", self.said()), self.said)
        self.url, self.address = found[1], found[2]

    def restart(self, *arguments):
        """Kills it, and starts it with other arguments."""
        self.kill()
        self.arguments = ["--log-level", "info", *arguments]
        self.start()

    def ask(self, path, method="GET", body=None, person=None, status=None):
        """Returns the answer to a request, of a person or without an account; `status` is the expected one unless 2xx."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method if data is None or method != "GET" else "POST")
        if data is not None:
            request.add_header("Content-Type", "image/jpeg" if isinstance(body, bytes) else "application/json")
        if person:
            request.add_header("Authorization", f"Bearer {person.token}")
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            assert error.code == status, f"{path}: {error.code} {text}"
            return json.loads(text)

    def owner(self, path, *options):
        """Returns the answer to a request of the service's owner, through its socket; `options` are curl's."""
        answer = subprocess.run(
            ["curl", "-sS", "--fail-with-body", "--unix-socket", f"{self.folder}/Storage/tintype.sock", *options,
             f"http://localhost{path}"], capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return json.loads(answer.stdout or "null")

    def set_up(self, preset="public"):
        """Chooses a preset of rules, so that the first page is not that of the first setup."""
        self.owner("/v1/setup", "-H", "Content-Type: application/json", "-d", json.dumps({"preset": preset}))

    def publish(self, text, *photos, alt=None, user="maria"):
        """Publishes a post of a user without an account, each photo with the same alternative text; returns its id."""
        options = ["-F", f"user={user}", "--form-string", f"text={text}"]
        for name in photos:
            options += [*(["--form-string", f"alt={alt}"] if alt else []), "-F", f"photo=@{ROOT}/Fixtures/{name}"]
        return self.owner("/v1/uploads", *options)["post_id"]

    def person(self, name, email=None):
        email = email or f"{re.sub('[^a-z]', '', name.lower()) or 'somebody'}@example.com"
        person = Person(self.ask("/identitytoolkit.googleapis.com/v1/accounts:signUp?key=test", body={
            "email": email, "password": PASSWORD, "displayName": name, "returnSecureToken": True}), name)
        self.ask(f"/v1/people/{person.uid}", "PATCH", {"full_name": name}, person)
        return person

    def post(self, person, text):
        """Publishes a post of a person with a photo; returns its id."""
        query = urllib.request.quote(text)
        return self.ask(f"/v1/uploads?text={query}", body=(ROOT / "Fixtures/photo.jpg").read_bytes(), person=person)["post_id"]

    def comments(self, post):
        return self.ask(f"/v1/posts/{post}/comments?limit=100")["comments"]


@contextlib.contextmanager
def service(*arguments):
    with tempfile.TemporaryDirectory(prefix="tintype-page-", ignore_cleanup_errors=True) as name:
        running = Gallery(pathlib.Path(name), arguments)
        try:
            yield running
        finally:
            running.kill()
