"""Tests firebase-admin, used like a server that moved here."""

import threading
import time

import pytest
from firebase_admin import db, exceptions

DINOSAURS = {
    "bruhathkayosaurus": {"appeared": -70000000, "height": 25, "length": 44, "order": "saurischia", "weight": 135000},
    "lambeosaurus": {"appeared": -76000000, "height": 2.1, "length": 12.5, "order": "ornithischia", "weight": 5000},
    "linhenykus": {"appeared": -85000000, "height": 0.6, "length": 1, "order": "theropoda", "weight": 3},
    "pterodactyl": {"appeared": -150000000, "height": 0.6, "length": 0.8, "order": "pterosauria", "weight": 2},
    "stegosaurus": {"appeared": -155000000, "height": 4, "length": 9, "order": "ornithischia", "weight": 2500},
    "triceratops": {"appeared": -68000000, "height": 3, "length": 8, "order": "ornithischia", "weight": 11000},
}


class TestValues:
    @pytest.mark.parametrize("value", [
        "text", "", "grüße 🎞️", 'quotes " and \\ and \n', True, False, 0, -1, 2**53, 1.5, -0.25, 1e300,
        {"a": 1}, {"a": {"b": {"c": "d"}}}, {"clé": "é", "🎞️": 1}, ["a", "b"], [["a"], {"b": True}],
    ])
    def test_what_is_set_is_got(self, root, value):
        reference = root.child("a/b")
        reference.set(value)
        assert reference.get() == value

    def test_nothing_is_none(self, root):
        assert root.get() is None
        assert root.child("a/b").get() is None
        assert root.child("a").get(shallow=True) is None

    def test_what_is_empty_is_not_there(self, root):
        root.set({"a": {}, "b": [], "c": {"d": {}}, "e": 1})
        assert root.get() == {"e": 1}

    def test_a_value_replaces_what_was_there(self, root):
        root.child("a").set({"b": 1, "c": 2})
        root.child("a").set({"d": 3})
        assert root.get() == {"a": {"d": 3}}
        root.child("a/d/e").set(4)
        assert root.get() == {"a": {"d": {"e": 4}}}

    def test_sparse_lists_are_objects(self, root):
        root.child("list").update({"0": "a", "1": "b", "2": "c"})
        assert root.child("list").get() == ["a", "b", "c"]
        root.child("list/9").set("z")
        assert root.child("list").get() == {"0": "a", "1": "b", "2": "c", "9": "z"}

    def test_shallow(self, root):
        root.set({"a": {"b": 1}, "c": 2})
        assert root.get(shallow=True) == {"a": True, "c": True}
        assert root.child("c").get(shallow=True) == 2

    def test_delete(self, root):
        root.set({"a": {"b": 1}, "c": 2})
        root.child("a/b").delete()
        assert root.get() == {"c": 2}
        root.child("nowhere").delete()
        root.delete()
        assert root.get() is None

    def test_server_values(self, root):
        before = time.time() * 1000
        root.set({"at": {".sv": "timestamp"}, "count": {".sv": {"increment": 2}}})
        root.update({"count": {".sv": {"increment": 3}}, "of/another": {".sv": {"increment": -1.5}}})
        value = root.get()
        assert before - 5000 < value["at"] < time.time() * 1000 + 5000
        assert value["count"] == 5
        assert value["of"] == {"another": -1.5}

    def test_a_long_text(self, root):
        text = "x" * 3_000_000
        root.child("text").set(text)
        assert root.child("text").get() == text
        root.child("text").delete()

    def test_many_children(self, root):
        children = {f"k{n:06}": {"n": n, "even": n % 2 == 0} for n in range(40_000)}
        root.set(children)
        assert root.get() == children
        assert len(root.get(shallow=True)) == 40_000


class TestPush:
    def test_keys_are_in_the_order_of_time(self, root):
        keys = [root.child("log").push({"n": n}).key for n in range(20)]
        assert keys == sorted(keys)
        assert all(len(key) == 20 for key in keys)
        assert [entry["n"] for _, entry in sorted(root.child("log").get().items())] == list(range(20))

    def test_without_a_value(self, root):
        reference = root.push()
        assert reference.get() == ""


class TestUpdate:
    def test_several_paths_at_once(self, root):
        root.set({"posts": {"old": "x"}, "people": {"maria": {"name": "Maria"}}})
        root.update({"posts/new": {"text": "y"}, "people/maria/posts/new": True, "posts/old": None})
        assert root.get() == {
            "posts": {"new": {"text": "y"}}, "people": {"maria": {"name": "Maria", "posts": {"new": True}}}}

    def test_one_path_above_another_is_refused(self, root):
        root.set({"a": {"b": 1}})
        with pytest.raises(exceptions.InvalidArgumentError):
            root.update({"a": {"c": 2}, "a/b": 3})
        assert root.get() == {"a": {"b": 1}}

    def test_all_or_nothing(self, root):
        """While two paths are always written together, readers never see them differ."""
        root.set({"left": 0, "right": 0})
        seen, done = [], threading.Event()

        def read():
            while not done.is_set():
                seen.append(root.get())

        reader = threading.Thread(target=read)
        reader.start()
        for n in range(1, 100):
            root.update({"left": n, "right": n})
        done.set()
        reader.join()
        assert seen and all(value["left"] == value["right"] for value in seen)


class TestConditions:
    def test_etag_names_a_value(self, root):
        reference = root.child("a")
        reference.set({"n": 1})
        value, etag = reference.get(etag=True)
        assert value == {"n": 1}
        assert reference.get_if_changed(etag) == (False, None, None)
        reference.set({"n": 2})
        changed, value, other = reference.get_if_changed(etag)
        assert changed and value == {"n": 2} and other != etag

    def test_nothing_has_an_etag(self, root):
        value, etag = root.child("a").get(etag=True)
        assert value is None and etag == "null_etag"
        assert root.child("a").set_if_unchanged(etag, 1)[0]
        assert root.child("a").set_if_unchanged(etag, 2)[:2] == (False, 1)

    def test_set_if_unchanged(self, root):
        reference = root.child("a")
        reference.set(1)
        _, etag = reference.get(etag=True)
        success, value, new = reference.set_if_unchanged(etag, {"now": 2})
        assert success and value == {"now": 2}
        assert new == reference.get(etag=True)[1] != etag
        success, value, current = reference.set_if_unchanged(etag, 3)
        assert not success and value == {"now": 2} and current == new


class TestTransactions:
    def test_from_nothing(self, root):
        assert root.child("n").transaction(lambda value: (value or 0) + 1) == 1
        assert root.child("n").transaction(lambda value: (value or 0) + 1) == 2

    def test_contended(self, root):
        """Eight threads add to one counter: it includes every reported addition."""
        counter, done = root.child("counter"), []

        def add():
            for _ in range(10):
                try:
                    counter.transaction(lambda value: (value or 0) + 1)
                    done.append(1)
                except db.TransactionAbortedError:
                    pass

        threads = [threading.Thread(target=add) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counter.get() == len(done) > 0

    def test_gives_up_with_the_exception_of_the_function(self, root):
        root.child("n").set(1)
        with pytest.raises(ZeroDivisionError):
            root.child("n").transaction(lambda value: value / 0)
        assert root.child("n").get() == 1


class TestErrors:
    def test_a_bad_key(self, root):
        with pytest.raises(exceptions.InvalidArgumentError) as caught:
            root.set({"a.b": 1})
        assert "Invalid data; couldn't parse JSON object, array, or value." in str(caught.value)

    def test_too_deep(self, root):
        value = 1
        for _ in range(40):
            value = {"a": value}
        with pytest.raises(exceptions.InvalidArgumentError):
            root.set(value)
        assert root.get() is None


class TestQueries:
    @pytest.fixture
    def dinosaurs(self, root):
        root.child("dinosaurs").set(DINOSAURS)
        root.child("scores").set({name: dinosaur["weight"] for name, dinosaur in DINOSAURS.items()})
        return root.child("dinosaurs")

    def test_by_key(self, dinosaurs):
        query = dinosaurs.order_by_key()
        assert list(query.get()) == sorted(DINOSAURS)
        assert list(query.start_at("linhenykus").get()) == sorted(DINOSAURS)[2:]
        assert list(dinosaurs.order_by_key().start_at("l").end_at("m").get()) == ["lambeosaurus", "linhenykus"]
        assert list(dinosaurs.order_by_key().end_at("lambeosaurus").get()) == sorted(DINOSAURS)[:2]
        assert list(dinosaurs.order_by_key().limit_to_first(2).get()) == sorted(DINOSAURS)[:2]
        assert list(dinosaurs.order_by_key().limit_to_last(2).get()) == sorted(DINOSAURS)[-2:]
        assert list(dinosaurs.order_by_key().equal_to("stegosaurus").get()) == ["stegosaurus"]

    def test_by_child(self, dinosaurs, rest):
        index(rest, "dinosaurs", ["height", "order"])
        assert list(dinosaurs.order_by_child("height").limit_to_last(2).get()) == ["stegosaurus", "bruhathkayosaurus"]
        assert list(dinosaurs.order_by_child("height").start_at(3).get()) == [
            "triceratops", "stegosaurus", "bruhathkayosaurus"]
        assert list(dinosaurs.order_by_child("height").end_at(0.6).get()) == ["linhenykus", "pterodactyl"]
        assert set(dinosaurs.order_by_child("order").equal_to("ornithischia").get()) == {
            "lambeosaurus", "stegosaurus", "triceratops"}
        assert not dinosaurs.order_by_child("order").equal_to("nothing").get()

    def test_by_a_deep_path(self, root, rest):
        index(rest, "people", "name/last")
        root.child("people").set({"a": {"name": {"last": "Z"}}, "b": {"name": {"last": "A"}}, "c": True})
        assert list(root.child("people").order_by_child("name/last").limit_to_last(2).get()) == ["b", "a"]
        assert list(root.child("people").order_by_child("name/last").start_at("B").get()) == ["a"]

    def test_by_value(self, dinosaurs, root, rest):
        index(rest, "scores", ".value")
        scores = root.child("scores").order_by_value()
        assert list(scores.limit_to_last(1).get()) == ["bruhathkayosaurus"]
        assert list(root.child("scores").order_by_value().start_at(3).end_at(5000).get()) == [
            "linhenykus", "stegosaurus", "lambeosaurus"]

    def test_without_an_index(self, dinosaurs):
        with pytest.raises(exceptions.InvalidArgumentError) as caught:
            dinosaurs.order_by_child("weight").get()
        assert 'Index not defined, add ".indexOn": "weight", for path "/dinosaurs", to the rules' in str(caught.value)


def index(rest, path, fields):
    rules = {"rules": {path: {".indexOn": fields}}}
    owner = {"Authorization": "Bearer owner"}
    assert rest("put", ".settings/rules", json=rules, headers=owner).json() == {"status": "ok"}
    assert rest("get", ".settings/rules", format="strict", headers=owner).json() == rules


class TestListen:
    def test_every_change_is_told(self, root):
        events, came = [], threading.Condition()

        def note(event):
            with came:
                events.append((event.event_type, event.path, event.data))
                came.notify_all()

        def wait_for(count):
            with came:
                assert came.wait_for(lambda: len(events) >= count, timeout=30), events

        root.child("a").set({"b": 1})
        registration = root.child("a").listen(note)
        try:
            wait_for(1)
            root.child("a/c").set(2)
            wait_for(2)
            root.child("a").update({"b": None, "d/e": 3})
            wait_for(3)
            root.child("a").delete()
            wait_for(4)
        finally:
            # The library learns that it should end only at the next event.
            closing = threading.Thread(target=registration.close)
            closing.start()
            root.child("a").set(4)
            closing.join(timeout=60)
        assert events[:4] == [
            ("put", "/", {"b": 1}), ("put", "/c", 2), ("patch", "/", {"b": None, "d/e": 3}), ("put", "/", None)]
