"""Plays tintype-phone in a terminal, as a person would who loses the network, the app and the battery."""

import json
import signal
import subprocess
import urllib.parse
import urllib.request

from harness.ports import free_port
from harness.service import Service
from harness.waiting import PATIENCE, eventually
from screen import Terminal, fresh_settings

# Another person's text: it clears the screen, changes its title, moves the cursor, turns the text around.
HOSTILE = "\x1b[2J\x1b]0;owned\x07\x1b[5;5HOWNED\x9b31m\u202etfel\u202c 漢字 👩\u200d👩\u200d👧 e" + "\u0301" * 50 + " end"
DOWN, ENTER = "j", "\r"


class World:
    """A service with two people, of whom ann has the app and bob uses HTTP."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.service = Service(
            binary, folder / "Storage", ["--listen", f"127.0.0.1:{port}", "--sign-up", "email"])
        assert self.service.start(), self.service.said()
        for person in ("ann", "bob"):
            password = folder / person
            password.write_text(f"PasswordOf {person}")
            self.run("user", "add", f"{person}@example.org", "--uid", person, "--name", person.capitalize(),
                     "--password-file", password)
        self.tokens = {person: self.run("user", "token", person).strip() for person in ("ann", "bob")}

    def run(self, *arguments):
        command = [self.binary, *arguments, "--storage", self.service.storage]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout

    def request(self, person, method, path, value=None):
        """Sends a request of a person; returns the answer."""
        body = None if value is None else json.dumps(value).encode()
        headers = {"Authorization": "Bearer " + self.tokens[person]}
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.address + path, body, headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.load(response)

    def post(self, person, text):
        """Posts a text; returns the post's id."""
        query = urllib.parse.urlencode({"text": text})
        return self.request(person, "POST", f"/v1/uploads?{query}")["post"]["post_id"]

    def posts(self, person):
        """Returns the person's posts, the newest first."""
        return self.request("ann", "GET", f"/v1/people/{person}/posts")["posts"]

    def phone(self, program, columns=80, rows=24):
        return Terminal(
            [program, self.address, "--folder", self.folder / "phone"], columns, rows, {"COLORTERM": "truecolor"})


def sign_in(phone):
    """Signs in, at first with a wrong password, which is never shown."""
    for password in ("wrong", "PasswordOf ann"):
        phone.wait("E-mail address:")
        phone.type("ann@example.org" + ENTER)
        phone.wait("Password:")
        phone.type(password + ENTER)
    phone.wait("● connected", "ann@example.org", "No posts yet")
    assert b"PasswordOf" not in phone.output, "the password was shown"


def post(phone, text, *photos):
    phone.type("p")
    phone.wait("Text of the post:")
    phone.type(text + ENTER)
    phone.wait("A photo's file")
    for count, photo in enumerate(photos, 1):
        phone.type(str(photo) + ENTER)
        phone.wait(f"{count} chosen")
    phone.type(ENTER)
    phone.wait(text)


def play_online(world, phone, photo):
    """Posts, and sees what another person does as it happens."""
    post(phone, "Hello from the terminal")
    post(phone, "A photo of the lake", photo)
    phone.wait("1 photo", "all sent", gone=["waiting", "sending"])
    eventually("two posts", lambda: len(world.posts("ann")) == 2)
    newest = world.posts("ann")[0]
    assert newest["text"] == "A photo of the lake" and len(newest["photos"]) == 1, newest
    # The preview arrives with the service's own state of the post.
    eventually("a coloured preview", lambda: len([s for s in phone.screen.styles if s.startswith("38;2")]) > 4,
               phone.screen.styles, pause=phone.read)
    world.request("ann", "PUT", "/v1/people/ann/following/bob")
    other = world.post("bob", HOSTILE)
    # Its beginning has lost its power, and its end stands where it should.
    phone.wait("OWNED", "漢字", "end", "Bob")
    world.request("bob", "PUT", f"/v1/posts/{newest['post_id']}/likes/bob")
    phone.wait("♥ 1", "● 1 new")
    phone.type("n")
    phone.wait("Notifications", "Bob likes your post")
    phone.type("q")
    phone.wait("Feed", gone=["● 1 new"])
    return newest["post_id"], other


def play_resizing(phone):
    for columns, rows in ((40, 12), (200, 60), (80, 24)):
        phone.resize(columns, rows)
        phone.wait("A photo of the lake", "● connected")
        lines = phone.screen.lines()
        assert "Feed" in lines[0] and "connected" in lines[rows - 1], str(phone.screen)


def select(phone, text):
    """Selects the post with a text."""
    phone.type("g")

    def is_selected():
        lines = phone.screen.lines()
        marked = [line for line in lines if line.startswith("▌")]
        if any(text in line for line in marked):
            return True
        phone.type("j")
        return False

    eventually(f"{text} to be selected", is_selected, lambda: str(phone.screen), pause=phone.read)


def play_offline(world, program, phone, photo):
    """Writes without a network, and kills the app: everything is there afterwards."""
    assert world.service.stop() == 0
    phone.wait("○", gone=["● connected"])
    select(phone, "Hello from the terminal")
    phone.type("l")
    phone.wait("with yours", "1 to be sent")
    phone.type("c")
    phone.wait("Comment:")
    phone.type("Written in a tunnel" + ENTER)
    phone.wait("1 comment", "2 to be sent")
    phone.type("e")
    phone.wait("Text of the post: Hello from the terminal")
    phone.type(", edited here" + ENTER)
    phone.wait("terminal, edited here", "change waiting", "3 to be sent")
    post(phone, "Without a network", photo)
    phone.wait("waiting to be sent", "4 to be sent")
    phone.kill()
    phone.close()
    phone = world.phone(program)
    phone.wait("Without a network", "waiting to be sent", "4 to be sent", "terminal, edited here")
    phone.kill()
    phone.close()


def play_return(world, program, posts):
    """Everything is sent once. Of two edits of one text the person decides."""
    assert world.service.start(), world.service.said()
    first = next(post["post_id"] for post in posts if post["text"] == "Hello from the terminal")
    world.request("ann", "PATCH", f"/v1/posts/{first}", {"text": "Edited on another device"})
    phone = world.phone(program)
    phone.wait("all sent", "1 not accepted", gone=["waiting to be sent"])
    select(phone, "Edited on another device")
    phone.wait("changed elsewhere, too", "yours:  Hello from the terminal, edited here", "theirs: Edited on another")
    phone.type("r")
    phone.wait("This write was not accepted")
    phone.type("r")
    phone.wait("terminal, edited here", "all sent", gone=["not accepted", "waiting"])
    texts = sorted(post["text"] for post in world.posts("ann"))
    wanted = ["A photo of the lake", "Hello from the terminal, edited here", "Without a network"]
    assert texts == wanted, texts
    comments = world.request("ann", "GET", f"/v1/posts/{first}/comments")["comments"]
    assert [comment["text"] for comment in comments] == ["Written in a tunnel"], comments
    likes = world.request("ann", "GET", f"/v1/posts/{first}/likes")["likes"]
    assert [like["uid"] for like in likes] == ["ann"], likes
    return phone, first


def play_refusal(world, phone, first):
    """A comment that is too long is refused with the service's reason, and discarded."""
    select(phone, "terminal, edited here")
    phone.type("c")
    phone.wait("Comment:")
    phone.type("x" * 2000 + ENTER)
    phone.wait("1 not accepted", "refused: ")
    phone.type("o")
    phone.wait("Comments", "Written in a tunnel", "needs you: r")
    phone.type("r")
    phone.wait("This write was not accepted", "refused: ")
    phone.type("d")
    phone.wait("Feed", "all sent", gone=["not accepted", "refused"])
    assert len(world.request("ann", "GET", f"/v1/posts/{first}/comments")["comments"]) == 1


def play_deleting(world, phone):
    select(phone, "Without a network")
    phone.type("d")
    phone.wait("Delete this post? y/n")
    phone.type("y" + ENTER)
    phone.wait("all sent", gone=["Without a network"])
    eventually("the deletion", lambda: len(world.posts("ann")) == 2)


def play_ends(world, program, phone):
    """The terminal is as before, also after a signal."""
    before = fresh_settings()
    phone.type("q")
    assert phone.end() == 0, phone.end()
    assert phone.settings() == before and phone.screen.modes == {"7", "25"}, (phone.settings(), phone.screen.modes)
    phone.close()
    phone = world.phone(program)
    phone.wait("● connected")
    assert phone.settings() != before
    assert phone.end(signal.SIGTERM) == 0
    assert phone.settings() == before and phone.screen.modes == {"7", "25"}, (phone.settings(), phone.screen.modes)
    phone.close()


def play_lines(world, program):
    """Without a terminal there are commands, and no escape sequences."""
    run = subprocess.run(
        [program, world.address, "--folder", world.folder / "phone"], input="p From a script\nw\nf\nl 9\nq\n",
        capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0 and not run.stderr, run
    assert "From a script" in run.stdout and "Hello from the terminal, edited here" in run.stdout, run
    assert "There is no such post" in run.stdout and "\x1b" not in run.stdout, run
    assert world.posts("ann")[0]["text"] == "From a script"


def play(binary, program, folder, photo):
    world = World(binary, folder)
    try:
        phone = world.phone(program)
        sign_in(phone)
        play_online(world, phone, photo)
        play_resizing(phone)
        posts = world.posts("ann")
        play_offline(world, program, phone, photo)
        phone, first = play_return(world, program, posts)
        play_refusal(world, phone, first)
        play_deleting(world, phone)
        play_ends(world, program, phone)
        play_lines(world, program)
    finally:
        world.service.kill()
