"""Runs the app of this folder against the built service, over TLS, from another network. Started by Scripts/test-app."""

import json
import os
import pathlib
import shlex
import socket
import ssl
import subprocess
import warnings

import checks
import page
from checks import check
from networks import TIED
from service import PHOTO, SecureService

from harness.waiting import PATIENCE, eventually

FOLDER = pathlib.Path(__file__).resolve().parent


class Trial:
    def __init__(self, folder, network):
        self.folder, self.network = folder, network
        self.page_url = f"https://{network.page_name}:{network.page_port}".removesuffix(":443")
        self.service = SecureService(folder, network, **{"allowed-origins": self.page_url})
        self.authority = self.service.authority

    # The app

    def run_program(self):
        key = self.service.tintype("key", "add", "app")
        answer = subprocess.run(
            [*TIED, os.environ["APP_PYTHON"], FOLDER / "app.py", self.service.url, PHOTO], capture_output=True, text=True,
            env=dict(os.environ, TINTYPE_KEY=key, REQUESTS_CA_BUNDLE=str(self.authority.certificate)))
        print("".join(f"          {line}\n" for line in answer.stdout.splitlines()), end="")
        check("app.py does all that it may, and is refused the rest", answer.returncode == 0, answer.stderr)

    def use_page(self):
        site = self.folder / "site"
        site.mkdir()
        text = (FOLDER / "app.html").read_text()
        own = '"https://photos.example.org"'
        assert own in text, "app.html names no service"
        (site / "app.html").write_text(text.replace(own, json.dumps(self.service.url)))
        certificate, key = self.authority.issue("page", self.network.page_name, self.network.page_address)
        with page.served(site, self.network.page_address, self.network.page_port, certificate, key):
            person = page.Person(f"{self.page_url}/app.html")
            try:
                self.use_page_as(person)
                if "TINTYPE_SCREENSHOT" in os.environ:
                    pathlib.Path(os.environ["TINTYPE_SCREENSHOT"]).write_bytes(person.picture())
            finally:
                person.browser.close()

    def use_page_as(self, person):
        person.sign_up("Cleo", "cleo@example.org", "battery staple")
        check("a user signs up in the page of another origin", person.photos() == [], person.photos())
        person.post(PHOTO, "A walk #lake")
        own = ["Cleo A walk #lake"]
        seen = eventually("the post", person.photos)
        check("their post appears in their feed, with its thumbnail", seen == own, seen)
        person.see_everybody()
        everybody = [*own, "Ada Two of us #lake"]
        seen = eventually("two posts", lambda: len(person.photos()) == 2 and person.photos())
        check("they see all public posts", seen == everybody, seen)
        person.press("♡ Like", "Two of us")
        eventually("the like", person.likes)
        check("they may like a post", not person.said(), person.said())
        person.press("Delete", "Two of us")
        why = eventually("a refusal", person.said)
        check("they may not delete it", "may not delete" in why and person.photos() == everybody, why)
        first = json.load(self.service.ask("/v1/posts"))["posts"][0]
        original = f"{self.service.url}/media/{first['author']['uid']}/{first['post_id']}/original.jpg"
        check("without a token, feeds and originals are not readable",
              [person.status(f"{self.service.url}/feed/ben.json"), person.status(original)] == [401, 404])
        check("the page has no errors", not person.tab.faults, person.tab.faults)

    # TLS

    def connect(self, context=None):
        plain = socket.create_connection((self.network.service_address, self.network.service_port), timeout=PATIENCE)
        return context.wrap_socket(plain, server_hostname=self.network.service_name) if context else plain

    def served_certificate(self):
        with self.connect(self.service.trust) as connection:
            return connection.getpeercert(binary_form=True)

    def speak_otherwise(self):
        with self.connect() as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        check("plain HTTP is answered with a hint at TLS", answer.startswith(b"HTTP/1.1 403") and b"https://" in answer, answer)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        check("TLS 1.1 is refused", *self.refusal(old, "ALERT_PROTOCOL_VERSION"))
        check("a client that does not trust the authority does not trust the service",
              *self.refusal(ssl.create_default_context(), "CERTIFICATE_VERIFY_FAILED"))

    def refusal(self, context, reason):
        """Returns whether a handshake fails for that reason, and its outcome."""
        try:
            with self.connect(context) as connection:
                return False, connection.version()
        except ssl.SSLError as error:
            return reason in str(error), error

    def renew(self):
        with self.service.ask("/v1/posts/events") as stream:
            stream.readline()
            before = self.served_certificate()
            self.authority.issue("service", self.network.service_name, self.network.service_address)
            check("a renewed certificate is served without a restart",
                  eventually("the certificate", lambda: self.served_certificate() != before))
            person = json.load(self.service.ask("/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any", "POST", b"{}"))
            allowed = {"Authorization": f"Bearer {person['idToken']}"}
            post = json.load(self.service.ask("/v1/uploads?text=Renewed", "POST", **allowed))["post_id"]
            told = next(line for line in stream if line.startswith(b"data: {"))
            check("an earlier stream stays open", post.encode() in told, told)


def tied(program, folder):
    """Writes a program that runs the given one, and ends it when this program ends."""
    script = folder / "tied"
    script.write_text(f"#!/bin/sh\nexec {shlex.join([*TIED, program])} \"$@\"\n")
    script.chmod(0o700)
    return str(script)


def run_app(folder, network):
    trial = Trial(folder / "app", network)
    os.environ.update(HOME=str(folder), CHROMIUM=tied(os.environ["CHROMIUM"], folder))
    trial.authority.is_trusted_by_chromium(folder)
    with trial.service:
        trial.run_program()
        trial.use_page()
        trial.speak_otherwise()
        trial.renew()


checks.run(run_app)
