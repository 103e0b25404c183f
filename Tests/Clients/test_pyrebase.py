"""Tests pyrebase4, used like many small programs use it: without a namespace, therefore on the service's own tree."""

import queue
import threading

import pytest
import requests


def test_set_get_update_remove(database, place):
    assert database.child(place, "users", "morty").set({"name": "Morty"}) == {"name": "Morty"}
    assert database.child(place, "users", "morty").get().val() == {"name": "Morty"}
    assert database.child(place, "users", "morty").update({"age": 14}) == {"age": 14}
    assert database.child(place, "users").get().val() == {"morty": {"name": "Morty", "age": 14}}
    assert database.child(place, "users", "morty", "name").remove() is None
    assert database.child(place, "users", "morty").get().val() == {"age": 14}


def test_push_and_each(database, place):
    names = [database.child(place).push({"n": n})["name"] for n in range(3)]
    users = database.child(place).get()
    assert [user.key() for user in users.each()] == names
    assert [user.val()["n"] for user in users.each()] == [0, 1, 2]


def test_lists(database, place):
    database.child(place).set(["a", "b", None, "d"])
    assert [item.val() for item in database.child(place).get().each()] == ["a", "b", None, "d"]


def test_multi_path_update(database, place):
    ours = database.generate_key()
    database.update({f"{place}/users/{ours}": {"name": "Mortimer"}, f"{place}/names/Mortimer": ours})
    assert database.child(place).get().val() == {"names": {"Mortimer": ours}, "users": {ours: {"name": "Mortimer"}}}


def test_shallow(database, place):
    database.child(place).set({"a": {"b": 1}, "c": 2})
    assert set(database.child(place).shallow().get().val()) == {"a", "c"}


def test_conditions(database, place):
    database.child(place).set(1)
    found = database.child(place).get_etag()
    assert found["value"] == 1
    assert database.child(place).conditional_set(2, found["ETag"]) == 2
    refused = database.child(place).conditional_set(3, found["ETag"])
    assert refused["value"] == 2 and refused["ETag"] != found["ETag"]
    assert database.child(place).conditional_remove(found["ETag"])["value"] == 2
    assert database.child(place).conditional_remove(refused["ETag"]) is None
    assert database.child(place).get().val() is None


def test_tokens_of_users_are_taken(database, place):
    token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYXJpYSJ9."
    assert database.child(place).set({"by": "maria"}, token) == {"by": "maria"}
    assert database.child(place).get(token).val() == {"by": "maria"}


def test_errors(database, place):
    with pytest.raises(requests.exceptions.HTTPError) as caught:
        database.child(place).set({"a.b": 1})
    assert "couldn't parse JSON" in str(caught.value)
    with pytest.raises(requests.exceptions.HTTPError) as caught:
        database.child(place).get("no token")
    assert "Could not parse auth token." in str(caught.value)


def test_queries(database, place):
    database.child(place).set({"a": {"score": 3}, "b": {"score": 1}, "c": {"score": 2}})
    keys = lambda users: [user.key() for user in users.each()]
    assert keys(database.child(place).order_by_key().limit_to_first(2).get()) == ["a", "b"]
    assert keys(database.child(place).order_by_key().start_at("b").get()) == ["b", "c"]


def test_stream(database, place):
    events = queue.Queue()
    database.child(place).set({"a": 1})
    stream = database.child(place).stream(events.put)
    try:
        for write, expected in [
            (None, ("put", "/", {"a": 1})),
            (lambda: database.child(place, "b").set(2), ("put", "/b", 2)),
            (lambda: database.child(place).update({"a": 3, "b": None}), ("patch", "/", {"a": 3, "b": None})),
        ]:
            if write:
                write()
            event = events.get(timeout=30)
            assert (event["event"], event["path"], event["data"]) == expected
    finally:
        # The library learns that it should end only at the next event.
        closing = threading.Thread(target=stream.close)
        closing.start()
        database.child(place, "c").set(4)
        closing.join(timeout=60)
        assert not closing.is_alive()
