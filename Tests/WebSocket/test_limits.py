"""Messages of the largest size, and longer ones: these are refused or end the connection, and leave no memory behind."""

import random
import select
import time

import pytest
from client import Client, Write
from dialects import JavaScript
from frames import frame
from over_both import over_both

from harness.waiting import PATIENCE


@pytest.fixture
def client(service, request):
    host = f"{service.address[0]}:{service.address[1]}"
    name = f"limits-{abs(hash(request.node.name)) % 10**9}"
    client = Client("one", JavaScript(), service.address, host, name, None, random.Random(0))
    client.connect()
    until(lambda: not client.is_busy, client)
    yield client
    client.drop("cut")


def until(condition, client):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, list(client.story)[-3:]
        writers = [client.socket.socket] if client.socket.unsent else []
        select.select([client.socket.socket], writers, [], 0.1)
        if not client.pump():
            return


def put(client, path, value):
    """Returns the status of the answer to a write; "ended" if the connection ended."""
    statuses = []
    client.write(Write("p", path, value, on_answer=lambda status, _: statuses.append(status)))
    until(lambda: statuses, client)
    return statuses[0] if statuses else "ended"


def stored(service, client, path):
    return service.json("GET", f"{path}.json?ns={client.namespace}")[1]


@over_both
@pytest.mark.parametrize("character, count", [("a", 9_990_000), ("日", 3_300_000), ("é", 4_900_000)])
def test_a_string_of_almost_ten_megabytes_is_stored_as_it_is(service, client, character, count):
    assert put(client, "/long", character * count) == "ok"
    assert stored(service, client, "/long") == character * count


def test_a_message_of_fifteen_mebibytes_is_taken_and_comes_back_in_frames(service, client):
    value = {f"k{index:04}": "x" * 100_000 for index in range(150)}
    assert put(client, "/wide", value) == "ok"
    listen = client.listen(("wide",))
    until(lambda: listen.state == "live", client)
    assert listen.value == value


@pytest.mark.parametrize("path, value", [
    ("/long", "x" * 10_000_001), ("/wide", {f"k{index:04}": "x" * 100_000 for index in range(190)}), ("/" + "k" * 769, 1),
    ("/" + "/".join("abcdefghijklmnopqrstuvwxyzabcdefg"), 1),
], ids=["a string", "a message", "a key", "a path"])
def test_what_is_too_long_is_refused_and_leaves_nothing(service, client, path, value):
    status = put(client, path, value)
    assert status != "ok"
    assert stored(service, client, "/") is None
    if status == "ended":  # The vendor's clients would send it again, and again.
        client.writes.clear()
        client.connect()
        until(lambda: not client.is_busy, client)
    assert put(client, "/other", 1) == "ok"


def test_a_key_of_768_bytes_and_a_path_of_32_keys_are_taken(service, client):
    path = "/".join("abcdefghijklmnopqrstuvwxyzabcdef")
    assert put(client, "/" + "k" * 768, 1) == put(client, f"/{path}", 2) == "ok"
    assert stored(service, client, f"/{path}") == 2


@over_both
def test_a_message_in_a_thousand_pieces_of_any_length_is_put_together(service, client):
    text = '{"t":"d","d":{"r":7000,"a":"p","b":{"p":"/pieces","d":"' + "日本" * 5000 + '"}}}'
    pieces = [text[start:start + 11] for start in range(0, len(text), 11)]
    client.requests[7000] = type("Request", (), {"action": "p", "on_answer": None})
    for piece in [str(len(pieces)), *pieces]:
        client.socket.write(frame(piece.encode()))
    until(lambda: 7000 not in client.requests, client)
    assert stored(service, client, "/pieces") == "日本" * 5000


def test_a_thousand_small_requests_at_once_are_all_answered_in_their_order(service, client):
    order = []
    for number in range(1000):
        client.write(Write("p", "/number", number, on_answer=lambda status, _, number=number: order.append((number, status))))
    until(lambda: len(order) == 1000, client)
    assert order == [(number, "ok") for number in range(1000)] and stored(service, client, "/number") == 999
