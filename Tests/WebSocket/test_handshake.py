"""Invalid requests for a WebSocket are answered, and the connection stays usable."""

import time

import pytest
from frames import Refused, Violation, WebSocket, frame, request
from over_both import over_both
from transports import dial

pytestmark = over_both
KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def answers(service, data, count):
    """Returns the status lines of the answers to these bytes, until there are so many or the connection ends."""
    with dial(service.address) as connection:
        connection.sendall(data)
        received = b""
        while received.count(b"HTTP/1.1 ") < count:
            more = connection.recv(65536)
            if not more:
                break
            received += more
    return [part[:3].decode() for part in received.split(b"HTTP/1.1 ")[1:]], received


def head(host, *lines, target="/.ws?v=5&ns=x", method="GET"):
    return "\r\n".join([f"{method} {target} HTTP/1.1", f"Host: {host}", *lines, "", ""]).encode()


@pytest.mark.parametrize("lines, method", [
    ([], "GET"), (["Upgrade: websocket", "Connection: Upgrade"], "GET"),
    (["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {KEY}"], "GET"),
    (["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 8"], "GET"),
    (["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: short", "Sec-WebSocket-Version: 13"], "GET"),
    (["Upgrade: websocket", f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13"], "GET"),
    (["Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABk"], "GET"),
    (["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13"], "POST"),
])
def test_what_is_no_handshake_is_refused_and_the_next_request_is_answered_or_the_connection_ends(service, lines, method):
    host = f"{service.address[0]}:{service.address[1]}"
    ordinary = head(host, target="/healthz")
    statuses, received = answers(service, head(host, *lines, method=method) + ordinary, 2)
    assert statuses and statuses[0][0] == "4", received
    assert statuses[1:] == ["200"] or b"connection: close" in received.lower(), received


def test_an_upgrade_that_nobody_serves_does_not_make_an_ordinary_request_fail(service):
    host = f"{service.address[0]}:{service.address[1]}"
    upgrade = head(host, "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABk", target="/healthz")
    statuses, received = answers(service, upgrade + head(host, target="/healthz"), 2)
    assert statuses[0] == "200", received
    assert statuses[1:] == ["200"] or b"connection: close" in received.lower(), received


def test_a_socket_opens_after_ordinary_requests_on_the_same_connection(service):
    host = f"{service.address[0]}:{service.address[1]}"
    statuses, received = answers(service, head(host, target="/healthz") + request("/.ws?v=5&ns=x", host, KEY), 2)
    assert statuses == ["200", "101"]


@pytest.mark.parametrize("data, code", [
    (frame(b"\xff\xfe"), None), (frame(b"x", opcode=2), 1003), (frame(b"x", opcode=3), 1002), (b"\x81\x01x", 1002),
    (frame(b"", opcode=0), 1002), (frame(b"a", is_final=False) + frame(b"b"), 1002), (b"\x89\xfe\x00\x7e" + b"\x00" * 4, 1002),
    (bytes([0xF1, 0x80, 0, 0, 0, 0]), 1002), (b"\x81\xff" + (1 << 40).to_bytes(8, "big") + b"\0\0\0\0", 1009),
    (frame(b"9999999"), None), (frame(b"not json"), None), (frame(b'{"t":"d"}'), None), (frame(b"[]"), None),
], ids=["no UTF-8", "binary", "unknown opcode", "no mask", "continuation of nothing", "text within a text", "long ping",
        "reserved bits", "a frame of a terabyte", "a number", "no JSON", "no body", "no object"])
def test_bytes_that_no_client_sends_end_the_connection_with_a_code(service, data, code):
    host = f"{service.address[0]}:{service.address[1]}"
    one = WebSocket(service.address, "/.ws?v=5&ns=x", host)
    one.write(data)
    end = time.monotonic() + 30
    while one.end is None and time.monotonic() < end:
        list(one.texts())
        time.sleep(0.01)
    assert one.end is not None and "closed it with" in one.end, one.end
    found = int(one.end.split("closed it with ")[1].split()[0])
    assert 1001 <= found <= 1014 and (code is None or found == code), one.end
    one.close()


@pytest.mark.parametrize("target", ["/.ws?v=5&ns=a%20b", "/.ws?v=5&ns=" + "x" * 100])
def test_a_namespace_with_no_valid_name_is_refused(service, target):
    with pytest.raises((Refused, Violation)):
        WebSocket(service.address, target, f"{service.address[0]}:{service.address[1]}")
