"""A page in a real browser speaks to the service, from another origin, with the browser's own WebSockets, frames and requests."""

import http.server
import json
import os
import pathlib
import sys
import threading

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Page"))

from browser import Browser  # noqa: E402
from service import Service  # noqa: E402
from ws_model import free_port  # noqa: E402

# A client of a few lines: it cuts what it sends as the SDK does, and notes the longest frame that comes.
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
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
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
    """A server of pages, which is another one than the service."""
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
    """What the body of an asynchronous function returns in the page."""
    answer = page.call("Runtime.evaluate", expression=f"(async () => {{ const host = '{page.host}'; {body} }})()",
                       awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in answer, json.dumps(answer["exceptionDetails"])[:500]
    return answer["result"].get("value")


@pytest.mark.parametrize("character", ["日", "é", "😀"])
@pytest.mark.parametrize("units", [16_384, 16_385, 200_000])
def test_messages_of_characters_that_are_not_ascii_go_both_ways(page, character, units):
    found = run(page, f"""
        const client = new Client(host, 'page-{units}-{ord(character)}')
        await client.opened
        const head = JSON.stringify({{t: 'd', d: {{r: 1, a: 'p', b: {{p: '/x', d: ''}}}}}}).length
        // No character of two units lies where a frame ends: a browser would replace each half of it.
        const fill = '{character}'.length == 2 && head % 2 == 1 ? '.' : ''
        let text = fill
        while (head + text.length + '{character}'.length <= {units}) text += '{character}'
        while (head + text.length < {units}) text += '.'
        client.send({{r: 0, a: 'q', b: {{p: '/x', h: ''}}}})
        await client.answer(0)
        const sent = client.send({{r: 1, a: 'p', b: {{p: '/x', d: text}}}})
        const answer = await client.answer(1)
        const push = client.messages.filter(message => message.d.a === 'd').pop()
        client.socket.close()
        return [sent, answer.s, push.d.b.d === text, client.longest]
    """)
    assert found[:3] == [units, "ok", True]
    assert found[3] <= 16_384


def test_what_was_sent_by_one_page_is_pushed_to_another(page):
    assert run(page, """
        const one = new Client(host, 'page-two'), two = new Client(host, 'page-two')
        await Promise.all([one.opened, two.opened])
        two.send({r: 1, a: 'q', b: {p: '/chat', h: ''}})
        await two.answer(1)
        one.send({r: 1, a: 'm', b: {p: '/', d: {'/chat/a': 'ü', 'chat/b': {'.sv': 'timestamp'}}}})
        const push = await two.find(message => message.d.a === 'm')
        return Math.abs(push.d.b.d.b - Date.now()) < 60000 && push.d.b.d.a
    """) == "ü"


def test_a_browser_that_polls_is_healed(page):
    found = run(page, """
        localStorage.setItem('firebase:previous_websocket_failure', 'true')
        localStorage.setItem('other', 'kept')
        return await new Promise(done => {
            const frame = document.createElement('iframe')
            window.pLPCommand7 = (...command) => done(
                [command, localStorage.getItem('firebase:previous_websocket_failure'), localStorage.getItem('other')])
            document.body.appendChild(frame)
            const script = frame.contentWindow.document.createElement('script')
            script.src = `http://${host}/.lp?start=t&ser=12345678&cb=7&v=5&ns=page`
            script.onerror = () => done('the script was not loaded')
            frame.contentWindow.document.body.appendChild(script)
        })
    """)
    assert found == [["close"], None, "kept"]


def test_uploads_are_allowed_by_preflights_and_show_their_headers(page):
    path = "/v0/b/demo.appspot.com/o?name=u%2Fa.bin"
    found = run(page, f"""
        const answer = await fetch(`http://${{host}}{path}`, {{method: 'POST', headers: {{
            'Authorization': 'Firebase owner', 'X-Firebase-Storage-Version': 'webjs/10.0.0', 'X-Goog-Upload-Protocol': 'resumable',
            'X-Goog-Upload-Command': 'start', 'X-Goog-Upload-Header-Content-Length': '3',
            'X-Goog-Upload-Header-Content-Type': 'application/octet-stream', 'Content-Type': 'application/json; charset=utf-8'
        }}, body: '{{}}'}}).catch(error => null)
        return answer && [answer.status, answer.headers.get('x-goog-upload-url'), answer.headers.get('x-goog-upload-status')]
    """)
    if found is None:
        page.faults.clear()
        pytest.skip("there is no /v0/b/ yet")
    status, url, state = found
    assert status == 200 and state == "active" and url.startswith(f"http://{page.host}/v0/b/")


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_page_of_an_origin_that_is_not_allowed_gets_no_socket(browser, origin, tmp_path, is_allowed):
    port = free_port()
    options = ["--listen", f"127.0.0.1:{port}", *(["--allowed-origins", origin] if is_allowed else [])]
    service = Service(os.environ["TINTYPE"], tmp_path / "Storage", options)
    assert service.start()
    tab = browser.open(origin)
    try:
        tab.wait("typeof Client === 'function'")
        tab.host = f"127.0.0.1:{port}"
        assert run(tab, "return await new Client(host, 'tintype').opened") is is_allowed
    finally:
        tab.close()
        service.kill()
