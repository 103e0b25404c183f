"""The gallery in a real browser, with people who have accounts."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from browser import eventually
from playwright.sync_api import expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 60_000  # Milliseconds until something that should happen is given up.
PASSWORD = "correct horse"

expect.set_options(timeout=PATIENCE)


class Person:
    def __init__(self, answer, name):
        self.uid, self.token, self.email, self.name = answer["localId"], answer["idToken"], answer["email"], name

    def session(self, running):
        """What a page keeps of whoever has signed in; each page has a session of its own."""
        answer = running.ask("/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=test", body={
            "email": self.email, "password": PASSWORD, "returnSecureToken": True})
        return json.dumps({"user": {"uid": self.uid, "name": self.name, "email": self.email, "picture": None},
                           "refreshToken": answer["refreshToken"]})


class Gallery:
    """A service that can be killed, and comes back at the same address."""

    def __init__(self, folder, arguments=()):
        self.folder, self.log, self.address, self.arguments = folder, folder / "log", "127.0.0.1:0", arguments
        self.start()

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [os.environ["TINTYPE"], "serve", "--storage", f"{self.folder}/Storage", "--listen", self.address, *self.arguments],
                stdout=log, stderr=log)
        found = eventually("the service", lambda: re.search(r"listening on (http://(\S+?))/?\n", self.log.read_text()))
        self.url, self.address = found[1], found[2]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, path, method="GET", body=None, person=None, status=None):
        """The answer to a request, as a person or as nobody; the expected status, where it is none of success."""
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
        """The answer to a request of the service's owner, through its socket; `options` are curl's."""
        answer = subprocess.run(
            ["curl", "-sS", "--fail-with-body", "--unix-socket", f"{self.folder}/Storage/tintype.sock", *options,
             f"http://localhost{path}"], capture_output=True, text=True)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return json.loads(answer.stdout or "null")

    def upload(self, text, photo=None, alt=None, user="maria"):
        """The id of a post that somebody without an account has sent; with a photo, or a list of them."""
        options = ["-F", f"user={user}", "--form-string", f"text={text}", *(["--form-string", f"alt={alt}"] if alt else [])]
        for name in [photo] if isinstance(photo, str) else photo or []:
            options += ["-F", f"photo=@{ROOT}/Fixtures/{name}"]
        return self.owner("/v1/uploads", *options)["post_id"]

    def person(self, name, email=None):
        email = email or f"{re.sub('[^a-z]', '', name.lower()) or 'somebody'}@example.com"
        person = Person(self.ask("/identitytoolkit.googleapis.com/v1/accounts:signUp?key=test", body={
            "email": email, "password": PASSWORD, "displayName": name, "returnSecureToken": True}), name)
        self.ask(f"/v1/people/{person.uid}", "PATCH", {"full_name": name}, person)
        return person

    def post(self, person, text):
        query = urllib.request.quote(text)
        return self.ask(f"/v1/uploads?text={query}", body=(ROOT / "Fixtures/photo.jpg").read_bytes(), person=person)["post_id"]

    def comments(self, post):
        return self.ask(f"/v1/posts/{post}/comments?limit=100")["comments"]


def until(page, what, condition):
    """The condition's first true value, while the page goes on."""
    end = time.monotonic() + PATIENCE / 1000
    while not (value := condition()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        page.wait_for_timeout(50)
    return value


def wait(page, condition, *arguments):
    """Waits until an expression is true in the page, whose policy keeps Playwright from waiting there."""
    return until(page, condition, lambda: page.evaluate(condition, *arguments))


# The first post of a list that is not above the screen.
PLACE = """(() => {
    const card = [...document.querySelectorAll("post-feed article:not(.gone)")].find((card) => card.getBoundingClientRect().bottom > 100);
    return card ? [card.dataset.id, Math.round(card.getBoundingClientRect().top)] : null;
})()"""


def seeded(running, count):
    """So many posts, the oldest first, that show the photos of a few: their ids."""
    photos = ["photo.jpg", "rotation-6.jpg", "size-640x480.jpg", "profile-p3.jpg"]
    first = [running.upload(f"Number {number}", photo) for number, photo in enumerate(photos)]
    models = [running.owner(f"/posts/{post}.json") for post in first]
    ids = first + [f"-Seed{number:015}" for number in range(len(first), count)]
    for start in range(len(first), count, 100):
        update = {}
        for number, id in enumerate(ids[start:start + 100], start):
            model = {key: value for key, value in models[number * 7 % len(models)].items() if key not in ("published", "client_ref")}
            update[id] = {**model, "text": f"Number {number}", "timestamp": 1763000000000 + number * 60_000}
        body = running.folder / "update.json"
        body.write_text(json.dumps(update))
        running.owner("/posts.json?print=silent", "-X", "PATCH", "-d", f"@{body}")
    return ids


@contextlib.contextmanager
def gallery(*arguments):
    with tempfile.TemporaryDirectory(prefix="tintype-gallery-", ignore_cleanup_errors=True) as name:
        running = Gallery(pathlib.Path(name), arguments)
        try:
            yield running
        finally:
            running.kill()


@contextlib.contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextlib.contextmanager
def opened(browser, running, path, person=None, script=None, **options):
    """A page, as a person sees it who has signed in; none of its scripts fails."""
    context = browser.new_context(base_url=running.url, **{"locale": "en-US", **options})
    context.set_default_timeout(PATIENCE)
    if person:
        context.add_init_script(f"if (!sessionStorage.begun) {{ sessionStorage.begun = '1'; localStorage['tintype.session'] = {json.dumps(person.session(running))}; }}")
    if script:
        context.add_init_script(script)
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(error.stack or str(error)))
    # Scripts or styles that the page's policy does not let in.
    page.on("console", lambda message: faults.append(message.text) if "Content Security Policy" in message.text or "TrustedHTML" in message.text else None)
    page.goto(path)
    yield page
    context.close()
    assert faults == [], faults
