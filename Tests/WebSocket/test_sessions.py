"""How sessions end: by the next one, with the service, by silence, by falling behind, with the account; and what is left then."""

import json
import os
import random
import select
import signal
import time
import urllib.request

import pytest

from client import Client, Write
from dialects import IOS, JavaScript
from ruled import sign_up
from service import Service
from ws_model import free_port

PATIENCE = 30  # Seconds until something that should happen is given up.
SILENCE = 100  # Seconds until somebody who does not answer pings is given up: it is asked each 30 seconds, three times.


class Present(Client):
    """A client that notes what it is told of its token and of its listens."""

    expired = revoked = refused = None

    def on_expiry(self, body):
        self.expired = body

    def on_revocation(self, listens, query):
        self.revoked = [listen.path for listen in listens]
        self.views.listens = [listen for listen in self.views.listens if listen not in listens]

    def on_refusal(self, listen, status):
        self.refused = status


def connect(service, namespace, dialect=JavaScript, credential=None):
    host = f"{service.address[0]}:{service.address[1]}"
    client = Present("one", dialect(), service.address, host, namespace, credential, random.Random(0))
    client.connect()
    until(lambda: not client.is_busy, client)
    return client


def until(condition, *clients, seconds=PATIENCE):
    """Lets the clients hear what comes until that is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, [line for client in clients for line in list(client.story)[-5:]]
        select.select([client.socket.socket for client in clients if client.is_connected], [], [], 0.02)
        for client in clients:
            client.pump()


def leave_behind(client, key, value=1):
    """Leaves a write for the end of a session; durable when this returns."""
    statuses = []
    client.on_disconnect("o", ("gone", key), {".sv": {"increment": value}}, statuses.append)
    until(lambda: statuses, client)
    assert statuses == ["ok"]


def watch(service, namespace):
    """A client that sees what was left behind."""
    client = connect(service, namespace)
    listen = client.listen(("gone",))
    until(lambda: listen.state == "live", client)
    return client, listen


def end(*clients):
    for client in clients:
        client.drop("cut")


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
    forgotten = client.socket  # As if the phone had changed its network: nobody is there, and nobody has said so.
    client.socket = None
    client.connect()
    until(lambda: not client.is_busy, client)
    until(lambda: listen.value == {"a": 1}, watcher, client)
    stranger = connect(service, "end-next")
    leave_behind(stranger, "b")
    client.session = "k" * 22  # Somebody else's would have to be guessed.
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
        assert time.monotonic() < deadline, "nobody cuts off who does not read"
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


def test_in_silence_who_answers_pings_stays_and_others_go_and_a_revoked_token_is_told(tmp_path):
    service = start(tmp_path)
    try:
        set_rules(service, {".read": True, "gone": {".write": True}, "own": {".read": "auth !== null"}})
        watcher, listen = watch(service, "tintype")
        silent, calm = connect(service, "tintype"), connect(service, "tintype")
        leave_behind(silent, "a")
        _, token = sign_up(service.address)
        guest = connect(service, "tintype", credential=token)
        ask(service, "accounts:delete", {"idToken": token})
        until(lambda: listen.value == {"a": 1} and guest.expired, watcher, calm, guest, seconds=SILENCE)
        assert guest.expired["s"] == "expired_token" and calm.pump() and calm.is_connected
        guest.drop("close frame")
        guest.connect()
        answers = []
        guest.authenticate = lambda credential, on_ok=None: guest.request(
            *guest.dialect.auth(credential), lambda status, data: answers.append(status))
        until(lambda: answers, guest)
        assert answers == ["invalid_token"] or answers == ["expired_token"]
        end(watcher, calm, guest)
        silent.socket.close()
    finally:
        service.kill()


def start(folder, *options):
    port = free_port()
    service = Service(os.environ["TINTYPE"], folder / "Storage", ["--listen", f"127.0.0.1:{port}", *options])
    service.address = ("127.0.0.1", port)
    assert service.start(), service.log.read_text()
    return service


def set_rules(service, rules):
    status, answer = service.json("PUT", "/.settings/rules.json", {"rules": rules})
    assert status == 200, answer


def ask(service, action, body):
    request = urllib.request.Request(
        f"http://{service.address[0]}:{service.address[1]}/identitytoolkit.googleapis.com/v1/{action}?key=any", method="POST",
        data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)

