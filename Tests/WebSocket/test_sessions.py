"""Tests how sessions end: by the next one, with the service, by falling behind, with the account; and what remains then."""

import random
import signal
import time

import pytest
from client import Write
from dialects import IOS
from present import PATIENCE, connect, end, leave_behind, set_rules, start, until, watch
from ruled import sign_up


@pytest.mark.parametrize("way", ["cut", "close frame", "half", "reset"])
def test_whatever_way_a_connection_ends_what_was_left_is_done_once(service, way):
    watcher, listen = watch(service, f"end-{way.replace(' ', '-')}")
    client = connect(service, watcher.namespace)
    leave_behind(client, "a")
    client.drop(way)
    until(lambda: listen.value == {"a": 1}, watcher)
    end(watcher)


def test_the_next_session_ends_the_one_before_it_at_once(service):
    watcher, listen = watch(service, "end-next")
    client = connect(service, "end-next", IOS)
    leave_behind(client, "a")
    forgotten = client.socket  # Like a phone that has changed its network: the connection is dead, without a message.
    client.socket = None
    client.connect()
    until(lambda: not client.is_busy, client)
    until(lambda: listen.value == {"a": 1}, watcher, client)
    stranger = connect(service, "end-next")
    leave_behind(stranger, "b")
    client.session = "k" * 22  # Another client's session would have to be guessed.
    client.drop("cut")
    client.connect()
    until(lambda: not client.is_busy, client, stranger)
    assert stranger.pump() and listen.value == {"a": 1}
    forgotten.close()
    end(watcher, client, stranger)


def test_who_falls_behind_is_cut_off_and_what_it_left_is_done(service):
    watcher, listen = watch(service, "end-slow")
    slow = connect(service, "end-slow")
    leave_behind(slow, "a")
    flood = slow.listen(("flood",))
    until(lambda: flood.state == "live", slow)
    deadline = time.monotonic() + 120
    while listen.value != {"a": 1}:
        assert time.monotonic() < deadline, "a client that does not read is not cut off"
        watcher.write(Write("p", "/flood", random.choice("abcdefgh") * 1_000_000))
        until(lambda: not watcher.writes, watcher)
    end(watcher, slow)


def test_a_service_that_stops_says_that_it_goes_away_and_what_was_left_is_done_once(tmp_path):
    service = start(tmp_path, "--emulator")
    try:
        client = connect(service, "end-stop")
        leave_behind(client, "a")
        service.process.send_signal(signal.SIGTERM)
        seen = client.socket
        until(lambda: not client.is_connected, client)
        assert "closed it with 1001" in seen.end or client.has_shut, seen.end
        service.process.wait(PATIENCE)
        assert service.start()
        watcher, listen = watch(service, "end-stop")
        until(lambda: listen.value == {"a": 1}, watcher)
        end(watcher)
    finally:
        service.kill()


def test_listens_are_judged_anew_when_the_rules_change_and_when_the_token_does(tmp_path):
    service = start(tmp_path)
    try:
        set_rules(service, {"open": {".read": True}, "own": {".read": "auth !== null"}})
        uid, token = sign_up(service.address)
        client = connect(service, "tintype", credential=token)
        listens = [client.listen(("open",)), client.listen(("own",))]
        until(lambda: all(listen.state == "live" for listen in listens), client)
        assert client.identity["uid"] == uid
        set_rules(service, {"own": {".read": "auth !== null"}})
        until(lambda: client.revoked == [("open",)], client)
        client.request("unauth", {}, lambda status, data: None)
        until(lambda: client.revoked == [("own",)], client)
        client.listen(("own",))
        until(lambda: client.refused == "permission_denied", client)
        end(client)
    finally:
        service.kill()
