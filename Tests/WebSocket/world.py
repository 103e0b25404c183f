"""A tree with its clients, and the invariants of both in quiet moments."""

import collections
import json
import time
import urllib.parse

import model
from actions import Actions
from frames import Violation
from member import Member
from queries import KEY, PRIORITY

from harness.waiting import PATIENCE

LOGS = [("shared", "log", f"l{number}") for number in range(2)]
COUNTERS = [("shared", "counter", f"n{number}") for number in range(2)]


class World:
    """One namespace. `service` answers REST as its owner; `join` adds clients."""

    def __init__(self, service, namespace, choices):
        self.service, self.namespace, self.choices = service, namespace, choices
        self.members = []
        self.has_rules, self.widest = False, ""
        self.done = collections.Counter()
        self.heard = collections.Counter()
        self.serial = 0
        self.least_sums = self.most_sums = 0
        self.offered = set()
        self.committed = {place: set() for place in LOGS}
        self.counted = {place: [0, 0] for place in COUNTERS}
        self.actions = Actions(self, choices)

    def join(self, identifier, name, dialect, address, host, credential=None):
        member = Member(self, identifier, name, dialect, address, host, self.namespace, credential, self.choices)
        self.members.append(member)

    def next(self):
        self.serial += 1
        return self.serial

    def histories(self):
        return [member.own for member in self.members]

    def is_owner(self, member):
        return member.credential == "owner"

    def may_lose(self, member, listen):
        """Whether a listener of a client there may be refused or revoked."""
        return False

    def dropped(self, member):
        self.done["connections ended"] += 1
        self.heard.update(member.heard)
        member.heard.clear()

    # REST

    def rest(self, method, place, value=None, **parameters):
        query = urllib.parse.urlencode({"ns": self.namespace, **parameters})
        if Member.trace is not None:
            print(f"{time.time():.4f} REST {self.namespace}: {method} /{place} {json.dumps(value)}", file=Member.trace)
        status, answer = self.service.json(method, f"/{urllib.parse.quote(place)}.json?{query}", value)
        if status != 200:
            raise Violation(f"{method} /{place}.json was answered with {status} {answer}")
        return answer

    def tree(self):
        return model.normal(self.rest("GET", "", format="export"))

    # Actions

    def step(self):
        """One client does one action; a client without a connection connects first."""
        member = self.choices.choice(self.members)
        with blaming(member):
            if member.is_connected:
                self.actions.act(member)
            elif self.choices.random() < 0.3:
                self.connect(member)

    def connect(self, member):
        member.has_no_app_check = self.choices.random() < 0.5
        try:
            member.connect(forgets_session=self.choices.random() < 0.2)
        except OSError:
            return  # The service does not run at the moment.
        self.done["connections"] += 1

    def pump(self):
        for member in self.members:
            with blaming(member):
                member.pump()

    # Quiet moments

    def quiet(self, wait):
        """Waits until everything is answered, and compares. `wait` waits for some time and receives messages."""
        self.until(wait, self.unanswered, "is not answered")
        self.until(wait, self.differences, "does not match REST")
        tree = self.tree()
        self.check_transactions(tree)
        for member in self.members:
            with blaming(member):
                member.own.settle(model.child(tree, member.own.place))
                for listen in member.views.listens:
                    listen.positions.clear()
        self.compare_reads(tree, wait)
        self.tidy(tree)
        self.done["comparisons"] += 1

    def until(self, wait, remaining, what):
        """Waits until nothing remains."""
        deadline = time.monotonic() + PATIENCE
        while found := remaining():
            if time.monotonic() > deadline:
                member, thing = found
                with blaming(member):
                    raise Violation(f"after {PATIENCE} seconds this {what}: {thing}")
            wait()

    def unanswered(self):
        for member in self.members:
            if not member.is_connected:
                self.connect(member)
            if not member.is_connected or member.is_busy:
                requests = [(number, request.action, request.body) for number, request in member.requests.items()]
                return member, f"requests {str(requests)[:500]}, writes {len(member.writes)}, pings {member.pongs}"
        return None

    def differences(self):
        """Returns the first view that differs from the tree, or the first missing trace of a disconnect write."""
        tree = self.tree()
        for member in self.members:
            for listen in member.views.listens:
                here = model.child(tree, listen.path)
                if listen.query is None:
                    seen, wanted = model.text(listen.value), model.text(here)
                else:
                    seen = model.text(model.with_priority(listen.value, None))
                    wanted = model.text(listen.query.window(here))
                if seen != wanted:
                    wanted = here if listen.query is None else listen.query.window(here)
                    return member, f"{listen.name} shows " + "; ".join(model.differences(listen.value, wanted))
            for key, state in member.presence.items():
                found = model.child(tree, ("c", member.identifier, "on", key, "n")) or 0
                least, most = state if isinstance(state, tuple) else (0, 0)
                if not least <= found <= most:
                    return member, f"its disconnect write was done {found} times, not {least} to {most}: {key}"
        return None

    def check_transactions(self, tree):
        for place, entries in self.committed.items():
            node = model.child(tree, place)
            found = set(model.children(model.child(node, ("entries",))))
            if entries - found or found - self.offered or (model.child(node, ("n",)) or 0) != len(found):
                raise Violation(f"transactions at {place}: lost {sorted(entries - found)[:5]}, "
                                f"unknown {sorted(found - self.offered)[:5]}, {len(found)} entries in {str(node)[:200]}")
            entries.update(found)
        for place, (certain, unknown) in self.counted.items():
            found = model.child(tree, place) or 0
            if not certain <= found <= certain + unknown:
                raise Violation(f"{place} counts {found}; {certain} transactions were committed, {unknown} have an unknown outcome")
            self.counted[place] = [found, 0]
        found = model.child(tree, ("shared", "sum")) or 0
        if not self.least_sums <= found <= self.most_sums:
            raise Violation(f"the sum is {found}, with {self.least_sums} acknowledged increments of {self.most_sums} sent ones")
        self.least_sums = self.most_sums = found

    def compare_reads(self, tree, wait):
        """Compares single reads of clients, and queries by REST, with the tree."""
        rows = model.child(tree, ("shared", "rows"))
        for member in self.members:
            if not member.is_connected:
                continue
            query = self.choices.choice([None, self.actions.draw.query()])
            wanted = model.text(rows if query is None else query.window(rows))

            def answered(status, data, query=query, wanted=wanted):
                found = model.text(model.normal(data))
                if status != "ok" or found != wanted:
                    raise Violation(f"a read of shared/rows by {query} returns {status} {found}, expected {wanted}")

            member.get(("shared", "rows"), query, answered)
        self.until(wait, self.unanswered, "is not answered")
        query = self.actions.draw.query()
        if query.index in (KEY, PRIORITY):
            found = model.normal(self.rest("GET", "shared/rows", format="export", **by_rest(query)))
            if model.text(found) != model.text(query.window(rows)):
                raise Violation(f"REST answers {query} with {found}, not {query.window(rows)}")

    def tidy(self, tree):
        """Removes checked data, so that the tree stays small."""
        for member in self.members:
            for key, state in list(member.presence.items()):
                if isinstance(state, tuple):
                    self.rest("DELETE", f"c/{member.identifier}/on/{key}")
                    del member.presence[key]
                    self.done["departures checked"] += 1
        for place, entries in self.committed.items():
            if len(entries) > 60:
                self.rest("DELETE", "/".join(place))
                self.done["transactions checked"] += len(entries)
                entries.clear()

    # Invariants of one moment

    def check_pairs(self, member, listen):
        """Two values that are always written together are equal in each view."""
        for name in ("x0", "x1"):
            place = ("shared", "pairs", name)
            if listen.query is None and place[:len(listen.path)] == listen.path:
                pair = model.child(listen.value, place[len(listen.path):])
                if model.text(model.child(pair, ("a",))) != model.text(model.child(pair, ("b",))):
                    raise Violation(f"{listen.name} shows half of an update: {pair}")


def by_rest(query):
    """Returns a query's parameters in a request."""
    parameters = {"orderBy": json.dumps({KEY: "$key", PRIORITY: "$priority"}[query.index])}
    for bound, closed, opened in ((query.start, "startAt", "startAfter"), (query.end, "endAt", "endBefore")):
        if bound is not None:
            key = "" if bound.key is None else f",{json.dumps(bound.key)}"
            parameters[opened if bound.is_open else closed] = json.dumps(bound.value) + key
    if query.limit is not None:
        parameters["limitToFirst" if query.is_left else "limitToLast"] = query.limit
    return parameters


class blaming:
    """Records the member whose connection caused a violation."""

    def __init__(self, member):
        self.member = member

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, Violation) and not hasattr(error, "member"):
            error.member = self.member
        return False
