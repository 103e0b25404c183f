"""The app's page in a headless Chromium, served from its own origin."""

import base64
import contextlib
import functools
import http.server
import ssl
import threading

from harness.browser import Browser


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder, address, port, certificate, key):
    """Serves a folder's files over TLS."""
    server = http.server.ThreadingHTTPServer((address, port), functools.partial(Quiet, directory=folder))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()


class Person:
    """A user of the page."""

    def __init__(self, url):
        self.browser = Browser()
        self.tab = self.browser.open(url)
        self.tab.wait("document.readyState === 'complete' && sign.onsubmit !== null")

    def sign_up(self, name, email, password):
        for field, text in {"displayName": name, "email": email, "password": password}.items():
            self.tab.value(f"sign.{field}.value = '{text}'")
        self.tab.value("sign.querySelector('button').click()")
        self.tab.wait("!share.hidden || document.querySelector('output').textContent !== ''")
        assert self.tab.value("!share.hidden"), f"the page shows: {self.said()}"

    def post(self, photo, text):
        self.tab.value(f"share.text.value = '{text}'")
        root = self.tab.call("DOM.getDocument")["root"]["nodeId"]
        chooser = self.tab.call("DOM.querySelector", nodeId=root, selector="[type=file]")["nodeId"]
        self.tab.call("DOM.setFileInputFiles", nodeId=chooser, files=[str(photo)])
        self.tab.value("share.querySelector('button').click()")

    def see_everybody(self):
        self.tab.value("document.querySelector('[value=all]').click()")

    def photos(self):
        """Returns the texts below the visible photos, from the top."""
        return self.tab.value(
            "[...document.querySelectorAll('article')].filter((one) => one.querySelector('img')?.naturalWidth)"
            ".map((one) => one.querySelector('p').textContent)")

    def press(self, button, text):
        """Presses the button with that label at the post with that text."""
        self.tab.value(
            f"[...[...document.querySelectorAll('article')].find((one) => one.textContent.includes('{text}'))"
            f".querySelectorAll('button')].find((one) => one.textContent === '{button}').click()")

    def likes(self):
        """Returns the number of posts that show the person's like."""
        return self.tab.value(
            "[...document.querySelectorAll('article button')].filter((one) => one.textContent === '♥ Liked').length")

    def status(self, url):
        """Returns the answer to the page's browser at an address."""
        return self.tab.value(f"fetch('{url}').then((answer) => answer.status)")

    def picture(self):
        """Returns the page as a PNG."""
        return base64.b64decode(self.tab.call("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def said(self):
        return self.tab.value("document.querySelector('output').textContent")
