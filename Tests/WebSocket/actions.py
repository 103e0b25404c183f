"""The actions of the clients of a model run, drawn at random."""

import model
from client import Write
from frames import Violation
from queries import KEY, PRIORITY, VALUE, Bound, Query
from views import is_above

KEYS = ["a", "b", "c", "0", "1", "10", "07", "-3", "A", "_", "日本", "ключ", "c d", "é", "😀", "key-with-%2F"]
ROWS = ["-Pa", "-Pb", "-Pc", "-Pd", "-Pe", "-Pf", "1", "2", "17"]
WORDS = ["", "text", "0", "null", "ünïcödé", "日本語", "😀 and more", "line\nbreak\t\"quoted\" \\ \u2028",
         "\u0000\u001f\u007f"]
NUMBERS = [0, 1, -1, 2.5, -0.125, 1e21, 1e-7, 9007199254740991, -2147483648]
INDEXES = [KEY, KEY, PRIORITY, PRIORITY, VALUE, "rank", "rank", "deep/x", "name"]


class Draw:
    """Random values, paths and queries."""

    def __init__(self, choices):
        self.choices = choices

    def scalar(self):
        kind = self.choices.randrange(4)
        if kind == 0:
            return self.choices.random() < 0.5
        return self.choices.choice(NUMBERS if kind == 1 else WORDS) if kind < 3 else f"word {self.choices.getrandbits(30)}"

    def value(self, depth=2):
        """Returns a value in export form; sometimes with an array, an empty object or null within."""
        kind = self.choices.randrange(10)
        if depth == 0 or kind < 4:
            value = self.scalar()
            if kind == 0:
                return {".value": value, ".priority": self.priority()}
            return value
        if kind == 4:
            return [self.value(0), None, self.value(depth - 1)]
        value = {key: self.value(depth - 1) for key in self.choices.sample(KEYS, self.choices.randrange(4))}
        if kind == 5 and value:
            value[".priority"] = self.priority()
        if kind == 6:
            value["nothing"] = self.choices.choice([None, {}, []])
        return value

    def priority(self):
        return self.choices.choice([1, 2, -5, 2.5, "p", "q", "ünï"])

    def path(self, most=3):
        return "/".join(self.choices.choice(KEYS) for _ in range(self.choices.randint(1, most)))

    def row(self):
        value = {"rank": self.choices.choice([None, False, True, 1, 2, 3, 3, 4.5, "a", "b", {"x": 1}]),
                 "name": self.choices.choice(["ann", "bob", "cid"]), "deep": {"x": self.choices.choice([None, 1, 2, "t"])}}
        kind = self.choices.randrange(4)
        if kind == 0:
            return self.scalar()
        if kind == 1:
            value[".priority"] = self.priority()
        return value

    def query(self):
        index = self.choices.choice(INDEXES)
        start, end = self.bound(index), self.bound(index)
        limit = self.choices.choice([None, 1, 2, 3, 5])
        if start is None and end is None and limit is None:
            limit = 2
        if self.choices.random() < 0.15 and start is not None and not start.is_open:
            end = start
        return Query(index, start, end, limit, self.choices.random() < 0.5)

    def bound(self, index):
        if self.choices.random() < 0.5:
            return None
        is_open = self.choices.random() < 0.4
        if index == KEY:
            return Bound(self.choices.choice(ROWS + ["-P", "5", "a"]), None, is_open)
        value = self.choices.choice([None, False, True, 1, 2, 3, 4.5, "a", "b", "bob", "q", ""])
        key = self.choices.choice([None, None, *ROWS])
        return Bound(value, key, is_open)


class Actions:
    """The actions of the clients of a world, each with its weight."""

    WEIGHTS = {
        "listen": 10, "listen_filtered": 12, "unlisten": 9, "put_own": 16, "merge_own": 8, "row_own": 12, "put_shared": 12,
        "merge_shared": 8, "row_shared": 12, "priority": 5, "pair": 8, "append": 14, "count": 8, "add": 5, "get": 6,
        "arm": 5, "disarm": 2, "refresh": 2, "spoil": 1, "cut": 2, "quiet_signs": 4, "long_text": 1, "by_rest": 4, "forbidden": 3,
    }

    def __init__(self, world, choices):
        self.world, self.choices, self.draw = world, choices, Draw(choices)
        self.weights = dict(self.WEIGHTS)

    def act(self, member):
        name = self.choices.choices(list(self.weights), self.weights.values())[0]
        if getattr(self, name)(member) is not False:
            self.world.done[name] += 1

    # Listens

    def place(self):
        member = self.choices.choice(self.world.members)
        own = f"c/{member.identifier}/data"
        return model.path(self.choices.choice([
            own, own, f"{own}/{self.draw.path(2)}", f"{own}/rows", f"c/{member.identifier}", "c", "shared", "shared/t",
            f"shared/t/{self.draw.path(2)}", "shared/pairs", f"shared/pairs/x{self.choices.randrange(2)}", "shared/log",
            f"shared/log/l{self.choices.randrange(2)}", "shared/counter", "shared/rows", self.world.widest]))

    def listen(self, member):
        """Listens to a path. Most clients do so only if no node above has a listener, and end listeners below; some do not."""
        place = self.place()
        others = [one for one in member.views.listens if one.query is None and one.state != "ending"]
        if len(member.views.listens) > 8 or any(one.path == place for one in others):
            return False
        is_thrifty = self.choices.random() < 0.7
        if is_thrifty and any(is_above(one.path, place) for one in others):
            return False
        member.listen(place)
        for one in others:
            if is_thrifty and is_above(place, one.path):
                member.unlisten(one)
        return None

    def listen_filtered(self, member):
        if len(member.views.listens) > 8:
            return False
        other = self.choices.choice(self.world.members)
        place = self.choices.choice([("shared", "rows"), ("c", other.identifier, "data", "rows"), ("shared", "t")])
        query = self.draw.query()
        if any(one.path == place and one.query == query for one in member.views.listens):
            return False
        member.listen(place, query)

    def unlisten(self, member):
        listens = [listen for listen in member.views.listens if listen.state != "ending"]
        if not listens:
            return False
        member.unlisten(self.choices.choice(listens))

    # The client's own part

    def own(self, member, rest):
        return f"/c/{member.identifier}/data/{rest}"

    def put_own(self, member):
        path = self.draw.path()
        value = None if self.choices.random() < 0.2 else self.draw.value()
        member.write_own("p", self.own(member, path), value, lambda state: model.put(state, model.path(path), value))

    def merge_own(self, member):
        """Writes several paths at once; none of a merge is above another."""
        writes = {}
        for first in self.choices.sample(KEYS[:8], self.choices.randint(1, 4)):
            rest = f"/{self.draw.path(1)}" if self.choices.random() < 0.5 else ""
            lead = "/" if self.choices.random() < 0.3 else ""
            writes[f"{lead}{first}{rest}"] = None if self.choices.random() < 0.25 else self.draw.value()
        member.write_own("m", self.own(member, ""), writes, lambda state: model.merge(state, (), writes))

    def row_own(self, member):
        path = f"rows/{self.choices.choice(ROWS)}"
        value = None if self.choices.random() < 0.3 else self.draw.row()
        member.write_own("p", self.own(member, path), value, lambda state: model.put(state, model.path(path), value))

    def priority(self, member):
        path = f"rows/{self.choices.choice(ROWS)}/.priority"
        value = self.choices.choice([None, self.draw.priority()])
        member.write_own("p", self.own(member, path), value, lambda state: model.put(state, model.path(path), value))

    def long_text(self, member):
        """Writes a message of several frames, full of characters of several bytes in UTF-8."""
        value = self.choices.choice("é日я") * self.choices.randrange(10_000, 60_000)
        member.write_own("p", self.own(member, "long"), value, lambda state: model.put(state, ("long",), value))

    # Shared writes

    def must_be_ok(self, status, _):
        if status != "ok":
            raise Violation(f"a write to a public path was answered with {status}")

    def put_shared(self, member):
        value = None if self.choices.random() < 0.3 else self.draw.value()
        member.write(Write("p", f"/shared/t/{self.draw.path()}", value, on_answer=self.must_be_ok))

    def merge_shared(self, member):
        writes = {f"/shared/t/{key}/{self.draw.path(1)}": self.draw.value(1)
                  for key in self.choices.sample(KEYS, self.choices.randint(1, 4))}
        member.write(Write("m", "/", writes, on_answer=self.must_be_ok))

    def row_shared(self, member):
        key = self.choices.choice(ROWS)
        kind = self.choices.randrange(4)
        path, value = key, self.draw.row() if kind < 2 else None
        if kind == 3:
            path, value = f"{key}/rank", self.choices.randrange(5)
        member.write(Write("p", f"/shared/rows/{path}", value, on_answer=self.must_be_ok))

    def pair(self, member):
        """Writes two values that are always equal to every reader."""
        name, value = f"x{self.choices.randrange(2)}", self.world.next()
        member.write(Write("m", "/shared", {f"pairs/{name}/a": value, f"/pairs/{name}/b": value}, on_answer=self.must_be_ok))

    def add(self, member):
        """Adds one to a number, without knowledge of the number."""
        def sent():
            self.world.most_sums += 1

        def answered(status, _):
            self.must_be_ok(status, _)
            self.world.least_sums += 1

        member.write(Write("p", "/shared/sum", {".sv": {"increment": 1}}, on_answer=answered, on_send=sent))

    def append(self, member):
        """Makes a transaction that adds its own entry to the changed value."""
        place, entry = ("shared", "log", f"l{self.choices.randrange(2)}"), f"{member.identifier}-{member.next()}"

        def change(value):
            entries = {**model.children(model.child(value, ("entries",))), entry: True}
            return {"n": len(entries), "entries": entries, ".priority": len(entries)}

        self.world.offered.add(entry)
        return member.transact(place, change, lambda status: status == "ok" and self.world.committed[place].add(entry))

    def count(self, member):
        """Makes a transaction on a number."""
        place = ("shared", "counter", f"n{self.choices.randrange(2)}")

        def ended(status):
            self.world.counted[place][0 if status == "ok" else 1] += 1

        return member.transact(place, lambda value: (value or 0) + 1, ended)

    def by_rest(self, member):
        self.world.rest("PUT", f"shared/t/{self.draw.path()}", self.draw.value())

    def forbidden(self, member):
        """Tries a write that the rules forbid: it is refused, and changes nothing."""
        if not self.world.has_rules or self.world.is_owner(member):
            return False

        def answered(status, _):
            if status != "permission_denied":
                raise Violation(f"{member.name} was answered with {status} on a path that it may not write")

        other = self.choices.choice([one for one in self.world.members if one is not member])
        name = f"x{self.choices.randrange(2)}"
        if self.choices.random() < 0.5:
            member.write(Write("p", f"/c/{other.identifier}/data/a", 1, on_answer=answered))
        else:  # One path of several is forbidden.
            writes = {f"/shared/pairs/{name}/a": -1, f"/c/{other.identifier}/data/a": 1}
            member.write(Write("m", "/", writes, on_answer=answered))

    def get(self, member):
        """Reads a value. It is compared with the tree in a quiet moment; here, only its form is checked."""
        def answered(status, data):
            if status != "ok":
                raise Violation(f"{member.name} may not read what it may listen to: {status} {data}")
            if model.text(model.child(model.normal(data), ("a",))) != model.text(model.child(model.normal(data), ("b",))):
                raise Violation(f"a read shows half of an update: {data}")

        member.get(("shared", "pairs", f"x{self.choices.randrange(2)}"), None, answered)

    # The connection

    def arm(self, member):
        if not member.is_ready:
            return False
        member.arm(self.choices.choice(["o", "om"]), f"k{member.next()}")

    def disarm(self, member):
        armed = [key for key, state in member.presence.items() if state == "armed"]
        if not member.is_ready or not armed:
            return False
        member.disarm(self.choices.choice(armed))

    def refresh(self, member):
        if not member.is_ready or member.credential is None:
            return False
        member.refresh(member.credential)

    def spoil(self, member):
        if not member.is_ready or member.credential is None:
            return False
        member.spoil("eyJhbGciOiJub25lIn0.bm90IGpzb24.")

    def cut(self, member):
        member.drop(self.choice_of_end())

    def choice_of_end(self):
        return self.choices.choice(["cut", "close frame", "half", "reset"])

    def quiet_signs(self, member):
        if not member.is_ready:
            return False
        self.choices.choice([member.keep_alive, member.ping, member.socket.ping])()
