"""An app on a phone: it keeps a copy of parts of the tree, a queue of unsent writes, and the signed-in user, in a file.

    python3 phone.py https://photos.example.org FILE

Each line of its input is a call, as JSON: the name of a method of Phone, and its arguments. Each line of its output is the
result. It uses the database through pyrebase, with the token of the signed-in user.
"""

import json
import pathlib
import sys
import threading

import requests
from client import NOTHING, Client, objects


class Copy:
    """The copy, the queue and the refresh token, as they are in the file."""

    def __init__(self, file):
        self.file, self.lock = file, threading.RLock()
        self.tree, self.tokens, self.queue, self.refresh = {}, {}, [], None
        if file.exists():
            self.tree, self.tokens, self.queue, self.refresh = json.loads(file.read_text())

    def save(self):
        # The events of a stream are saved on the stream's thread.
        with self.lock:
            fresh = self.file.with_suffix(".new")
            fresh.write_text(json.dumps([self.tree, self.tokens, self.queue, self.refresh]))
            fresh.rename(self.file)

    def value(self, path):
        node = self.tree
        for key in path.strip("/").split("/"):
            node = node.get(key) if isinstance(node, dict) else None
        return node

    def put(self, path, value):
        """Sets the value at a path; null deletes it, and parents that become empty."""
        with self.lock:
            keys = [key for key in path.split("/") if key]
            self.tree = self.with_value(self.tree, keys, objects(value)) or {}
            self.save()

    def with_value(self, node, keys, value):
        if not keys:
            return value
        node = dict(node) if isinstance(node, dict) else {}
        child = self.with_value(node.pop(keys[0], None), keys[1:], value)
        if child is not None and child != {}:
            node[keys[0]] = child
        return node


class Phone:
    def __init__(self, url, file):
        self.client, self.copy = Client(url), Copy(file)
        self.database, self.streams, self.connection, self.cut_off = self.client.database, [], 0, []
        self.client.refresh = self.copy.refresh
        self.client.session.hooks["response"].append(self.note_token)
        threading.excepthook = self.note_end

    def note_token(self, answer, **_):
        """Each read returns the change up to which it is complete."""
        self.latest = answer.headers.get("Tintype-Token")

    def note_end(self, failure):
        """A stream that is cut off connects again, and is refused, or finds no network."""
        if issubclass(failure.exc_type, requests.HTTPError):
            self.cut_off.append(failure.thread.name)
        elif not issubclass(failure.exc_type, requests.RequestException):
            threading.__excepthook__(failure)

    def was_cut_off(self):
        return self.cut_off

    def sign(self, way, proof):
        self.client.sign(way, **proof)
        self.copy.refresh = self.client.refresh
        return self.client.uid

    def renew(self):
        self.client.renew()
        self.copy.refresh = self.client.refresh
        self.copy.save()

    # The copy

    def keep(self, *paths):
        """Keeps a copy of these paths from now on."""
        for path in paths:
            self.copy.put(path, self.database.child(path).get(self.client.token).val())
            self.copy.tokens[path] = self.latest
        self.copy.save()

    def kept(self, path):
        return self.copy.value(path)

    def listen(self):
        """Updates the copy with each change, as long as the phone has a network."""
        for path in self.copy.tokens:
            stream = self.database.child(path).stream(self.follower(path, self.connection), self.client.token)
            stream.thread.name = path
            self.streams.append(stream)

    def follower(self, path, connection):
        def follow(event):
            data, place = event["data"], f"{path}/{event['path']}"
            changes = [(place, data)] if event["event"] == "put" else [
                (f"{place}/{below}", value) for below, value in data.items()]
            for where, value in changes if event["event"] in ("put", "patch") else []:
                if connection == self.connection:
                    self.copy.put(where, value)

        return follow

    def catch_up(self):
        """Catches up by the tokens; returns the numbers of changes and pages, and the paths that are closed now."""
        changes, pages, closed = 0, 0, []
        for path, token in list(self.copy.tokens.items()):
            more = True
            while more:
                answer = self.client.ask("GET", "/v1/changes", params={"path": f"/{path}", "since": token, "limit": 20})
                if answer.status_code in (401, 403):
                    # It may no longer be read, and its copy is deleted.
                    del self.copy.tokens[path]
                    self.copy.put(path, None)
                    closed.append(path)
                    break
                answer.raise_for_status()
                page = answer.json()
                for change in page["changes"]:
                    assert int(change["token"]) > int(token), f"{change['token']} follows {token}"
                    token = change["token"]
                    for write in change["writes"]:
                        self.take(path, write)
                changes, pages = changes + len(page["changes"]), pages + 1
                token = self.copy.tokens[path] = page["token"]
                more = page["more"]
        self.copy.save()
        return {"changes": changes, "pages": pages, "closed": closed}

    def take(self, kept, write):
        """Applies a write at a kept path or below it, or above it: then its value contains the path's value."""
        path, value = write["path"].strip("/"), write["value"]
        if f"{path}/".startswith(f"{kept}/"):
            self.copy.put(path, value)
        else:
            for key in kept.removeprefix(path).strip("/").split("/"):
                value = objects(value).get(key) if isinstance(value, (dict, list)) else None
            self.copy.put(kept, value)

    # Unsent writes

    def key(self):
        return self.database.generate_key()

    def know(self, path):
        """Returns the ETag of the current value, for a later conditional write."""
        return self.database.child(path).get_etag(self.client.token)["ETag"]

    def later(self, *entries):
        """Queues writes [path, value, ETag], and photos [text, file, reference]."""
        self.copy.queue += entries
        self.copy.save()

    def send(self):
        """Sends the queue in order; returns the outcome of each entry. Without a network, entries stay."""
        outcomes = []
        while self.copy.queue:
            try:
                outcomes.append(self.send_one(*self.copy.queue[0]))
            except requests.HTTPError as error:
                # It is refused for good; the entries behind it may not be. Or it exists already, and may not be changed.
                where, _, mark = self.copy.queue[0]
                there = mark == NOTHING and self.client.get(where) is not None
                outcomes.append("there already" if there else f"refused: {error.args[-1]}")
            except (requests.ConnectionError, requests.Timeout):
                return [*outcomes, "no network"]
            self.copy.queue.pop(0)
            self.copy.save()
        return outcomes

    def send_one(self, where, value, mark):
        if "/" not in where:
            return self.client.post(where, value, **{"Idempotency-Key": mark})
        answer = self.database.child(where).conditional_set(value, mark, self.client.token)
        if not isinstance(answer, dict) or set(answer) != {"ETag", "value"}:
            return "written"
        return "there already" if mark == NOTHING else answer

    # The network

    def lose_network(self):
        """Called by the phone's system when the network is gone: open connections receive nothing more."""
        self.connection += 1
        for stream in self.streams:
            if stream.sse:
                stream.sse.should_connect = False
        self.streams.clear()
        self.client.session.close()


def main():
    phone = Phone(sys.argv[1], pathlib.Path(sys.argv[2]))
    for line in sys.stdin:
        method, *arguments = json.loads(line)
        try:
            answer = {"value": getattr(phone, method)(*arguments)}
        except Exception as error:  # It is answered, too: otherwise open streams would keep the phone from ending.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
