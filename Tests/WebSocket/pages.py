"""Pages in a real browser, from another origin than the service's, and the results of scripts in them."""

import http.server
import json
import pathlib
import threading

import pytest

from harness.browser import Browser

PHOTO = (pathlib.Path(__file__).resolve().parents[2] / "Fixtures" / "photo.jpg").read_bytes()

# A client of a few lines: it cuts messages like the SDK, and records the longest received frame.
SCRIPT = r"""
class Client {
  constructor(host, namespace) {
    this.socket = new WebSocket(`ws://${host}/.ws?v=5&ns=${namespace}`)
    this.frames = []; this.messages = []; this.pieces = []; this.wanted = 0; this.waiting = []; this.longest = 0
    this.socket.onmessage = event => this.take(event.data)
    this.opened = new Promise((done, fail) => {
      this.socket.onopen = () => done(true)
      this.socket.onclose = event => { this.closed = event.code; done(false) }
    })
  }
  take(text) {
    this.longest = Math.max(this.longest, text.length)
    if (!this.wanted && /^[0-9]{1,6}$/.test(text)) { this.wanted = Number(text); this.pieces = []; return }
    if (this.wanted) {
      this.pieces.push(text)
      if (this.pieces.length < this.wanted) return
      text = this.pieces.join(""); this.wanted = 0
    }
    this.messages.push(JSON.parse(text))
    this.waiting = this.waiting.filter(wait => !wait())
  }
  send(request) {
    const text = JSON.stringify({t: "d", d: request})
    const pieces = text.match(/[^]{1,16384}/g)
    if (pieces.length > 1) this.socket.send(String(pieces.length))
    pieces.forEach(piece => this.socket.send(piece))
    return text.length
  }
  find(condition) {
    return new Promise(done => {
      const wait = () => { const found = this.messages.find(condition); if (found) done(found); return found }
      if (!wait()) this.waiting.push(wait)
    })
  }
  answer(number) { return this.find(message => message.d.r === number).then(message => message.d.b) }
}
"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"<!doctype html><meta charset=utf-8><title>page</title><script>{SCRIPT}</script>".encode()
        is_photo = self.path == "/photo.jpg"
        if is_photo:
            body = PHOTO
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg" if is_photo else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def browser():
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def origin():
    """Starts a server of pages with another origin than the service's."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def page(browser, origin, service):
    tab = browser.open(origin)
    tab.host = f"{service.address[0]}:{service.address[1]}"
    tab.wait("typeof Client === 'function' && document.readyState === 'complete'")
    yield tab
    assert not tab.faults
    tab.close()


def run(page, body):
    """Runs the body of an asynchronous function in the page, and returns its result."""
    answer = page.call("Runtime.evaluate", expression=f"(async () => {{ const host = '{page.host}'; {body} }})()",
                       awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in answer, json.dumps(answer["exceptionDetails"])[:500]
    return answer["result"].get("value")
