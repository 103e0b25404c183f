"""Runs the proxies of Documentation/Operations.md in front of the built service, and uses it through them.

Only addresses and files in the page's configurations are replaced.
"""

import contextlib
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.parse

from harness.pages import blocks
from harness.ports import free_port
from harness.waiting import PATIENCE, eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "photos.example.org"
# The limit of open streams per client.
STREAMS = 2
# The user whom Debian's nginx runs as.
PROXY_USER = "www-data"
# nginx reads a variable of its own name.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "NGINX"}
SETUP = {"preset": "public", "email": "ann@example.com", "password": "correct horse"}
failures = 0


def check(what, holds, detail=""):
    global failures
    print(f"  {'ok    ' if holds else 'BROKEN'}  {what}" + ("" if holds else f": {detail}"), flush=True)
    failures += not holds


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def page_blocks():
    """Returns the blocks of the page that are for this suite, by their languages."""
    marked = [block for block in blocks("Documentation/Operations.md") if block.suite == "test-proxies"]
    found = {block.language: block.text for block in marked}
    if set(found) != {"json", "nginx", "caddyfile"} or len(found) < len(marked):
        sys.exit(f"the page has other blocks than this suite runs: {[block.place for block in marked]}")
    return found


BLOCKS = page_blocks()


def exchange(text, pairs):
    for old, new in pairs:
        if old not in text:
            sys.exit(f"the page's configuration has no {old!r}: correct {pathlib.Path(__file__).name}")
        text = text.replace(old, new)
    return text


def nginx(folder, port, service):
    server = exchange(BLOCKS["nginx"], [
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"), ("127.0.0.1:8080", f"127.0.0.1:{service}"),
        (f"/etc/letsencrypt/live/{NAME}/fullchain.pem", f"{folder}/certificate.pem"),
        (f"/etc/letsencrypt/live/{NAME}/privkey.pem", f"{folder}/key.pem"),
    ])
    return run_nginx(folder, server)


def run_nginx(folder, server):
    """Returns the command of an nginx with a server; its workers run as a user of their own, as they do in Debian."""
    paths = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in (
        "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = f"user {PROXY_USER};\n" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user}daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/proxy.log;\nevents {{}}\n"
        f"http {{\n    access_log off;\n{paths}{server}}}\n")
    command = [os.environ["NGINX"], "-c", f"{folder}/nginx.conf", "-p", str(folder), "-e", f"{folder}/proxy.log"]
    subprocess.run([*command, "-t", "-q"], env=ENVIRONMENT, check=True)
    return command


def careless_nginx(folder, port, service):
    """The shortest configuration that works: it names this machine as the host, and reports no client."""
    return run_nginx(folder, (
        f"server {{\n    listen 127.0.0.1:{port} ssl;\n    ssl_certificate {folder}/certificate.pem;\n"
        f"    ssl_certificate_key {folder}/key.pem;\n    location / {{ proxy_pass http://127.0.0.1:{service}; }}\n}}\n"))


def caddy(folder, port, service):
    program = os.environ["CADDY"]
    site = exchange(BLOCKS["caddyfile"], [
        (f"{NAME} {{\n", f"https://{NAME}:{port} {{\n    bind 127.0.0.1\n    tls {folder}/certificate.pem {folder}/key.pem\n"),
        ("127.0.0.1:8080", f"127.0.0.1:{service}"),
    ])
    (folder / "Caddyfile").write_text(f"{{\n    admin off\n    auto_https disable_redirects\n}}\n{site}")
    return [program, "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]


class Browser:
    """Sends requests through the proxy, by the public name."""

    def __init__(self, folder, port):
        self.port, self.origin = port, f"https://{NAME}:{port}"
        self.command = [
            "curl", "-sS", "--cacert", f"{folder}/certificate.pem", "--resolve", f"{NAME}:{port}:127.0.0.1",
            "--max-time", str(PATIENCE)]

    def ask(self, path, *options):
        """Sends a request; returns the status and the body."""
        answer = subprocess.run(
            [*self.command, "-w", "\n%{http_code}", *options, urllib.parse.urljoin(self.origin, path)], capture_output=True)
        body, _, status = answer.stdout.rpartition(b"\n")
        return int(status or 0), body or answer.stderr

    def upload(self, *options, photo=ROOT / "Fixtures/photo.jpg"):
        return self.ask("/v1/uploads", "-F", f"photo=@{photo}", *options)

    def send(self, path, body, *options):
        """Sends a JSON body, as the service's own page does; returns the status and the answer."""
        own = ["-H", f"Origin: {self.origin}", "-H", "Sec-Fetch-Site: same-origin"]
        status, answer = self.ask(path, "--json", json.dumps(body), *own, *options)
        return status, json.loads(answer) if answer.startswith(b"{") else answer

    def identify(self, operation, **fields):
        """Sends a request about an account."""
        path = f"/identitytoolkit.googleapis.com/v1/accounts:{operation}?key=any"
        return self.send(path, {**fields, "returnSecureToken": True})


def stay_out(browser):
    """Nobody is there yet: strangers see an empty service, and cannot set it up."""
    status, body = browser.ask("/", "-H", "Accept: text/html")
    check("a stranger is not led to the setup", status == 200 and b"<title>" in body, (status, body[:200]))
    status, body = browser.ask("/setup")
    check("the page of the setup asks a stranger for the code", status == 200 and b"data-local" not in body, (status, body[-400:]))
    forged = ["-H", "X-Forwarded-For: 127.0.0.1", "-H", "Forwarded: for=127.0.0.1;host=localhost", "-H", "X-Real-IP: 127.0.0.1"]
    for options in ([], forged, ["-H", "Host: localhost"], ["-H", "Host: 127.0.0.1", *forged]):
        status, answer = browser.send("/v1/setup", SETUP, *options)
        # Another host's name is refused by the service or by a proxy, which may end the stream without an answer (0).
        check(f"a stranger cannot set it up {options}", status in (0, 400, 403, 404, 421) or b"" == answer, (status, answer))


def set_up(browser, folder):
    """The operator sets the service up by the code of its log, and invites somebody; returns that person's ID token."""
    code = re.search(r"first run: \S+/setup#(\S+)", (folder / "0.log").read_text())[1]
    status, answer = browser.send("/v1/setup", {**SETUP, "code": code})
    check("the code of the log sets it up", status == 200 and answer["admin"] == "created", (status, answer))
    check("the setup is gone", browser.ask("/setup")[0] == 404 and browser.send("/v1/setup", {**SETUP, "code": code})[0] == 404)
    status, answer = browser.identify("signInWithPassword", email=SETUP["email"], password=SETUP["password"])
    check("the admin signs in", status == 200, (status, answer))
    status, invitation = browser.send("/v1/invitations", {"uses": 1}, "-H", f"Authorization: Bearer {answer['idToken']}")
    link = invitation.get("link", "")
    check("the admin makes an invitation, with the public address", link.startswith(f"{browser.origin}/join#"), (status, invitation))
    status, body = browser.ask("/join")
    check("the page of invitations is served", status == 200 and b"<title>" in body, (status, body[:200]))
    person = {"email": "ed@example.com", "password": "correct horse"}
    status, answer = browser.identify("signUp", **person)
    check("nobody signs up without an invitation", status == 400 and "OPERATION_NOT_ALLOWED" in str(answer), (status, answer))
    status, answer = browser.identify("signUp", **person, invitation=link)
    check("a user signs up with it", status == 200, (status, answer))
    status, again = browser.identify("signUp", email="mo@example.com", password="correct horse", invitation=link)
    check("it is used up", status == 400 and "INVITATION_USED_UP" in str(again), (status, again))
    return answer["idToken"]


def upload_in_parts(browser, folder, allowed):
    """An upload of two requests (tus)."""
    photo = (ROOT / "Fixtures/baseline-444.jpg").read_bytes()
    first, second = folder / "first", folder / "second"
    half = len(photo) // 2
    first.write_bytes(photo[:half])
    second.write_bytes(photo[half:])
    tus = [*allowed, "-H", "Tus-Resumable: 1.0.0"]
    status, head = browser.ask("/v1/uploads", "-X", "POST", "-i", *tus, "-H", f"Upload-Length: {len(photo)}")
    place = re.search(rb"(?i)^location: (\S+)", head, re.M)
    check("an upload in parts begins", status == 201 and place is not None, (status, head))
    for offset, part, end in ((0, first, half), (half, second, len(photo))):
        status, head = browser.ask(
            place[1].decode(), "-X", "PATCH", "-i", *tus, "-H", f"Upload-Offset: {offset}", "-H",
            "Content-Type: application/offset+octet-stream", "--data-binary", f"@{part}")
        check(f"it has {end} bytes", status == 204 and f"upload-offset: {end}".encode() in head.lower(), (status, head))
    check("its last part publishes it", re.search(rb"(?i)^content-location: /v1/posts/", head, re.M) is not None, head)


def use(browser, service, folder):
    stay_out(browser)
    # Without a body: a proxy may end the stream while a client still sends a body that is never read.
    status, body = browser.ask("/v1/uploads", "-X", "POST")
    check("an upload requires a sign-in", status == 401, (status, body))
    allowed = ["-H", f"Authorization: Bearer {set_up(browser, folder)}"]
    upload_in_parts(browser, folder, allowed)
    own = ["-H", f"Origin: {browser.origin}", "-H", "Sec-Fetch-Site: same-origin"]
    events = subprocess.Popen(
        [*browser.command, "-N", f"{browser.origin}/v1/posts/events"], stdout=subprocess.PIPE)
    first = events.stdout.readline()
    check("a stream begins at once", first.startswith(b":"), first)
    status, body = browser.upload(*allowed, *own)
    check("the own page uploads", status == 201, (status, body))
    told = b""
    for line in events.stdout:
        told += line
        if line.startswith(b"data:"):
            break
    check("an open stream sends it at once", status == 201 and json.loads(body)["post_id"].encode() in told, told)
    events.terminate()
    events.wait()
    status, body = browser.upload(*allowed, "-H", "Origin: https://elsewhere.example", "-H", "Sec-Fetch-Site: cross-site")
    check("a page of another site is refused", status == 403 and b"cross_site" in body, (status, body))
    status, body = browser.upload(*allowed)
    check("a program uploads", status == 201, (status, body))
    published = json.loads(body) if status == 201 else {}
    post = published.get("post", {})
    photo = post.get("photos", [{}])[0].get("renditions", {}).get("full", {}).get("url", "/")
    check("the post names its photo by the public address", photo.startswith(f"{browser.origin}/v0/b/"), photo)
    status, body = browser.ask(photo, "-H", "Range: bytes=0-99")
    check("a part of a rendition is served", status == 206 and len(body) == 100, (status, len(body)))
    status, body = browser.ask(f"/media/{post.get('author', {}).get('uid')}/{published.get('post_id')}/original.jpg")
    check("an original is not public", status == 404, (status, body))
    status, body = browser.ask("/.json")
    check("nor is the tree", status == 401, (status, body))
    log = (folder / "0.log").read_text()
    check("the log records the refusal", "audit: refused" in log and "GET /.json" in log, log)
    large = folder / "large"
    large.write_bytes(b"no photo at all" * (40 << 16))
    status, body = browser.upload(*allowed, photo=large)
    check("a large upload reaches the service", status == 415 and b"unsupported_format" in body, (status, body[:300]))
    forge(browser, folder)
    speak(browser, folder)
    foreign = subprocess.run(
        ["curl", "-sS", "-H", "Host: elsewhere.example", f"http://127.0.0.1:{service}/v1/posts"], capture_output=True)
    check("a host of another name is refused", b"foreign_host" in foreign.stdout, foreign.stdout)


def forge(browser, folder):
    """A client that forges its address is the client that the proxy sees, with the limits of one."""
    forged = [f"{field}: {value}" for field in ("Forwarded", "X-Forwarded-For") for value in (
        "for=127.0.0.1" if field == "Forwarded" else "127.0.0.1", "for=192.0.2.66" if field == "Forwarded" else "192.0.2.77")]
    for field in forged:
        browser.ask("/.json?forged", "-H", field)
    told = [line for line in (folder / "0.log").read_text().splitlines() if "GET /.json" in line]
    check("no refusal has a forged address", told and not any("192.0.2." in line for line in told), told)
    streams = []
    for field in forged[:STREAMS]:
        streams.append(subprocess.Popen(
            [*browser.command, "-N", "-H", field, f"{browser.origin}/v1/posts/events"], stdout=subprocess.PIPE))
        streams[-1].stdout.readline()
    statuses = [browser.ask("/v1/posts/events", "-H", field)[0] for field in forged]
    check("nor does it get more streams than one client", statuses == [429] * len(forged), statuses)
    for stream in streams:
        stream.terminate()
        stream.wait()


def speak(browser, folder):
    """A WebSocket of Firebase's protocol, with a message that is larger than a record of TLS."""
    trust = ssl.create_default_context(cafile=f"{folder}/certificate.pem")
    with contextlib.ExitStack() as connections:
        connection, heard = None, b""

        def is_open():
            nonlocal connection, heard
            plain = connections.enter_context(socket.create_connection(("127.0.0.1", browser.port), PATIENCE))
            connection = connections.enter_context(trust.wrap_socket(plain, server_hostname=NAME))
            connection.sendall((
                f"GET /.ws?v=5&ns=tintype HTTP/1.1\r\nHost: {NAME}:{browser.port}\r\nConnection: Upgrade\r\n"
                "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
            heard = connection.recv(65536)
            return heard.startswith(b"HTTP/1.1 101")

        # A proxy reports the ends of the last check's streams to the service only gradually.
        eventually("a WebSocket to open", is_open, lambda: heard)
        while b'"t":"h"' not in heard and (piece := connection.recv(65536)):
            heard += piece
        check("a WebSocket opens", b'"t":"h"' in heard, heard[:200])
        question = json.dumps({"t": "d", "d": {"r": 1, "a": "p", "b": {"p": "/nobodys", "d": "x" * 200_000}}}).encode()
        pieces = [question[start:start + 16_384] for start in range(0, len(question), 16_384)]
        for piece in (str(len(pieces)).encode(), *pieces):
            connection.sendall(bytes([0x81, 0xFE]) + len(piece).to_bytes(2, "big") + bytes(4) + piece)
        heard = b""
        while b'"r":1' not in heard and (piece := connection.recv(65536)):
            heard += piece
        check("a message of 200 kB is answered", b"permission_denied" in heard, heard[:200])


def misuse_socket(folder):
    """The service detects a proxy on the Unix socket by its forwarding header fields."""
    warning = "every client of that proxy has full access"
    asks = ["curl", "-sS", "-o", "/dev/null", "--unix-socket", str(folder / "Storage/tintype.sock"), "http://localhost/healthz"]
    log = folder / "0.log"
    subprocess.run(asks, check=True)
    check("the log has no warning about programs at the socket", warning not in log.read_text())
    for _ in range(2):
        subprocess.run([*asks, "-H", "X-Forwarded-For: 192.0.2.7"], check=True)
    eventually("the warning", lambda: warning in log.read_text())
    check("a proxy at the socket causes one warning", log.read_text().count(warning) == 1, log.read_text())


def page_settings(port, service):
    """Returns the settings of the page."""
    text = exchange(BLOCKS["json"], [("127.0.0.1:8080", f"127.0.0.1:{service}"), (f"https://{NAME}", f"https://{NAME}:{port}")])
    return {**json.loads(text), "client-streams": STREAMS}


def use_and_misuse(browser, service, folder):
    use(browser, service, folder)
    misuse_socket(folder)


def hide_strangers(browser, service, folder):
    """A proxy that reports no client makes strangers look like programs on this machine, but runs as a user of its own."""
    asks = ["curl", "-sS", f"http://127.0.0.1:{service}/setup"]
    if os.geteuid() != 0:
        page = subprocess.run(asks, capture_output=True).stdout
        check("a person's browser on this machine needs no code", b"data-local" in page, page[-400:])
        print("          skipped: strangers behind a careless proxy, which only root can start as another user")
        return
    for user, needs_code in ((1000, False), (0, True), (PROXY_USER, True)):
        page = subprocess.run(asks, capture_output=True, user=user).stdout
        check(f"the user {user} on this machine needs {'the' if needs_code else 'no'} code",
              (b"data-local" not in page) == needs_code and b"<title>" in page, page[-400:])
    status, body = browser.ask("/setup")
    check("a stranger behind a careless proxy needs it", status == 200 and b"data-local" not in body, (status, body[-400:]))
    own = ["-H", f"Origin: http://127.0.0.1:{service}"]
    for options in ([], own):
        status, body = browser.ask("/v1/setup", "--json", json.dumps(SETUP), *options)
        check(f"and cannot set the service up without it {options}", status == 404, (status, body))


def try_out(configure, settings_for=page_settings, body=use_and_misuse):
    print(f"{configure.__name__}:")
    with tempfile.TemporaryDirectory(prefix="tintype-proxies-", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
             "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
            check=True, capture_output=True)
        # The proxy's user reads what is in it.
        folder.chmod(0o755)
        port, service = free_port(), free_port()
        (folder / "Storage").mkdir()
        settings = settings_for(port, service)
        (folder / "Storage/tintype.json").write_text(json.dumps(settings))
        started = []
        environment = dict(ENVIRONMENT, HOME=name, XDG_DATA_HOME=name, XDG_CONFIG_HOME=name)
        try:
            for command, answers_at in (
                ([os.environ["TINTYPE"], "serve", "--storage", str(folder / "Storage")], service),
                (configure(folder, port, service), port),
            ):
                with open(folder / f"{len(started)}.log", "w") as log:
                    started.append(subprocess.Popen(command, stdout=log, stderr=log, env=environment))
                eventually(f"{command[0]} to listen", lambda: is_open(answers_at) or started[-1].poll() is not None)
                if started[-1].poll() is not None:
                    logs = (folder / f"{len(started) - 1}.log", folder / "proxy.log")
                    sys.exit(f"{command[0]} ended: " + "".join(log.read_text() for log in logs if log.exists()))
            body(Browser(folder, port), service, folder)
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


try_out(nginx)
try_out(caddy)
try_out(careless_nginx, lambda port, service: {"listen": f"127.0.0.1:{service}"}, hide_strangers)
sys.exit(1 if failures else 0)
