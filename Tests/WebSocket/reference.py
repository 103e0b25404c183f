"""A small server of the protocol, in memory, that can be given defects: it tests the model run itself.

It has the interface of a `Service` (start, kill, json, socket), so that a run cannot distinguish the two.
"""

import json
import os
import pathlib
import socket
import threading
import time
import urllib.parse

import model
from queries import KEY, PRIORITY, Bound, Query
from reference_connection import Connection, keys_of


class Reference:
    """The server: trees by namespace, and the connections to them."""

    def __init__(self, folder, port, defect=None):
        self.address, self.socket, self.defect = ("127.0.0.1", port), pathlib.Path(folder) / "reference.sock", defect
        self.log = "nowhere"
        self.lock = threading.RLock()
        self.trees, self.connections, self.doors = {}, [], []
        self.count = 0

    # The interface of a service

    def start(self):
        for family, address in ((socket.AF_INET, self.address), (socket.AF_UNIX, os.path.relpath(self.socket))):
            door = socket.socket(family, socket.SOCK_STREAM)
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_UNIX and self.socket.exists():
                self.socket.unlink()
            door.bind(address)
            door.listen(64)
            self.doors.append(door)
            threading.Thread(target=self.accept, args=[door], daemon=True).start()
        return True

    def kill(self):
        doors, self.doors = self.doors, []
        for door in doors:
            door.shutdown(socket.SHUT_RDWR)
            door.close()
        for connection in list(self.connections):
            connection.end()

    def accept(self, door):
        while True:
            try:
                accepted, _ = door.accept()
            except OSError:
                return
            threading.Thread(target=Connection(self, accepted).run, daemon=True).start()

    def json(self, method, target, value=None):
        parts = urllib.parse.urlsplit(target)
        parameters = dict(urllib.parse.parse_qsl(parts.query))
        place = keys_of(urllib.parse.unquote(parts.path[1:].removesuffix(".json")))
        with self.lock:
            if method != "GET":
                self.commit(parameters["ns"], [(place, value)], place)
            node = model.child(self.trees.get(parameters["ns"]), place)
            if "orderBy" in parameters:
                node = self.rest_query(parameters).window(node)
            return 200, node

    def rest_query(self, parameters):
        def bound(closed, opened):
            for name in (closed, opened):
                if name in parameters:
                    value, *key = json.loads(f"[{parameters[name]}]")
                    return Bound(value, key[0] if key else None, name == opened)
            return None

        limit = parameters.get("limitToFirst") or parameters.get("limitToLast")
        index = {"$key": KEY, "$priority": PRIORITY}[json.loads(parameters["orderBy"])]
        return Query(index, bound("startAt", "startAfter"), bound("endAt", "endBefore"), limit and int(limit),
                     "limitToFirst" in parameters)

    # Commits

    def commit(self, namespace, writes, base):
        """Applies writes, and notifies all connections of them at once."""
        now, before = int(time.time() * 1000), self.trees.get(namespace)
        after = before
        for place, value in writes:
            after = model.put(after, place, model.resolve(value, model.child(before, place), now))
        self.trees[namespace] = after
        self.count += 1
        if before is not after:
            places = [place[:-1] if place[-1:] == (".priority",) else place for place, _ in writes]
            for connection in list(self.connections):
                if connection.namespace == namespace:
                    connection.notify(before, after, places, base)
