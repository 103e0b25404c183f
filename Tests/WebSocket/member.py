"""A client that takes part in a model run: it records its writes, and checks their effects."""

import model
from client import Client, Write
from frames import Violation
from hashes import node_hash
from history import History

MOST_TRIES = 25  # The limit for a transaction in the vendor's clients.


class Member(Client):
    """A client with its own part of the tree: `c/ID/data`, which it alone writes, and `c/ID/on`, for disconnect writes."""

    def __init__(self, world, identifier, *rest):
        super().__init__(*rest)
        self.world, self.identifier = world, identifier
        self.own = History(("c", identifier, "data"))
        self.presence = {}  # key → the state of its disconnect write: "sent", "armed", "cancelling", or a range of counts
        self.transactions = set()
        self.serial = 0

    def next(self):
        self.serial += 1
        return self.serial

    # Views

    def on_change(self, listen):
        for history in self.world.histories():
            history.observe(listen)
        self.world.check_pairs(self, listen)
        if listen.state == "live":
            listen.may_jump = False

    def send_listen(self, listen):
        listen.since, listen.may_jump = self.count, True
        super().send_listen(listen)

    # The client's own part

    def write_own(self, action, path, value, change):
        """Writes only to its own part; `change` returns the part's value after the write."""
        def sent():
            return self.own.send(change), self.count

        self.write(Write(action, path, value, on_answer=self.wrote_own, on_send=sent))

    def wrote_own(self, status, mark):
        if status != "ok":
            raise Violation(f"{self.name} may not write to its own part: {status}")
        step, count = mark
        self.own.acknowledge(step)
        for listen in self.views.listens:
            if listen.state == "live" and listen.since < count and not self.own.has_shown(listen, step):
                raise Violation(f"{self.name}: its own write was acknowledged before {listen.name} showed it")

    # Disconnect writes

    def arm(self, action, key):
        """Registers a disconnect write to `c/ID/on/KEY`."""
        place = ("c", self.identifier, "on")
        count, now = {".sv": {"increment": 1}}, {".sv": "timestamp"}
        self.presence[key] = "sent"

        def answered(status):
            if status != "ok":
                raise Violation(f"{action} was answered with {status}")
            self.presence[key] = "armed"

        if action == "o":
            self.on_disconnect("o", place + (key,), {"n": count, "at": now}, answered)
        else:
            self.on_disconnect("om", place, {f"{key}/n": count, f"{key}/at": now}, answered)

    def disarm(self, key):
        self.presence[key] = "cancelling"

        def answered(status):
            if status != "ok":
                raise Violation(f"oc was answered with {status}")
            self.presence[key] = (0, 0)

        self.on_disconnect("oc", ("c", self.identifier, "on", key), None, answered)

    def on_drop(self):
        self.own.lose()
        for key, state in self.presence.items():
            self.presence[key] = {"sent": (0, 1), "armed": (1, 1), "cancelling": (0, 1)}.get(state, state)
        self.world.dropped(self)

    # Transactions

    def transact(self, place, change, on_end):
        """Tries a change of a node until it is committed. `on_end` receives "ok", or "disconnect" if the outcome is unknown."""
        if place in self.transactions or not self.view(place)[0]:
            return False
        self.transactions.add(place)
        self.attempt(place, change, on_end, 1)
        return True

    def attempt(self, place, change, on_end, tries):
        is_known, base = self.view(place)
        if not is_known:
            self.transactions.discard(place)
            return

        def answered(status, _):
            if status == "datastale":
                if model.text(self.view(place)[1]) == model.text(base) and self.view(place)[0]:
                    raise Violation(f"{self.name}: datastale at {place}, but no push has sent the new value: {base}")
                if tries == MOST_TRIES:
                    raise Violation(f"{self.name}: a transaction at {place} did not end in {tries} tries")
                self.world.done["tries again"] += 1
                return self.attempt(place, change, on_end, tries + 1)
            self.transactions.discard(place)
            if status not in ("ok", "disconnect"):
                raise Violation(f"{self.name}: a transaction at {place} was answered with {status}")
            if status == "ok" and self.view(place)[0] and model.text(self.view(place)[1]) == model.text(base):
                raise Violation(f"{self.name}: a transaction at {place} was acknowledged before its own push")
            return on_end(status)

        self.write(Write("p", "/" + "/".join(place), change(base), node_hash(base), answered))

    # Rules

    def on_refusal(self, listen, status):
        if status != "permission_denied" or not self.world.may_lose(self, listen):
            raise Violation(f"{self.name} may not listen to {listen.name}: {status}")
        self.world.done["listens refused"] += 1

    def on_revocation(self, listens, query):
        """Returns the listeners that a revocation ends: phones drop all at its path, a browser the one with that query."""
        if not self.dialect.drops_all_revoked:
            wanted = query[0] if query else None
            listens = [listen for listen in listens if (listen.query and self.dialect.query(listen.query)) == wanted]
        if not listens or not all(self.world.may_lose(self, listen) for listen in listens):
            raise Violation(f"{self.name}: its listeners were revoked without reason, query {query}: {listens}")
        for listen in listens:
            self.views.listens.remove(listen)
            self.world.done["listens revoked"] += 1
