"""Connected clients, services for them, and common actions of both."""

import json
import os
import random
import select
import time
import urllib.request

from client import Client
from dialects import JavaScript

from harness.ports import free_port
from harness.service import Service
from harness.waiting import PATIENCE


class Present(Client):
    """A client that records expiries, revocations and refusals."""

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
    """Lets the clients receive messages until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, [line for client in clients for line in list(client.story)[-5:]]
        select.select([client.socket.socket for client in clients if client.is_connected], [], [], 0.02)
        for client in clients:
            client.pump()


def leave_behind(client, key, value=1):
    """Registers a disconnect write; it is durable when this returns."""
    statuses = []
    client.on_disconnect("o", ("gone", key), {".sv": {"increment": value}}, statuses.append)
    until(lambda: statuses, client)
    assert statuses == ["ok"]


def watch(service, namespace):
    """Returns a client that listens to the disconnect writes, and its listener."""
    client = connect(service, namespace)
    listen = client.listen(("gone",))
    until(lambda: listen.state == "live", client)
    return client, listen


def end(*clients):
    for client in clients:
        client.drop("cut")


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
