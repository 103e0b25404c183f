"""The model run finds defects: a server without defects passes it, and one with a defect does not."""

import hashes
import pytest
import wire
import ws_model
from dialects import Android, JavaScript, predecessor, successor
from frames import Violation
from queries import Bound, Query
from reference import Reference
from reference_connection import query_of

from harness.ports import free_port

# The longest duration of a run, in seconds. Only a hang takes longer.
HANG = 600

DEFECTS = [
    "forgets a departure", "departs twice", "sends long frames", "answers twice", "begins paths with a slash",
    "leaves out first values", "types an ok as text", "goes on after the end", "ignores hashes", "is stale without need",
    "splits updates", "loses half of an update", "forgets a push", "pushes twice",
    "keeps what leaves a window",
]


def run(folder, defect, is_enough=lambda done: False):
    """Runs the model against a server with that defect, until the counts are enough; returns them."""
    port = free_port()
    server = Reference(folder, port, defect)
    server.start()
    one = ws_model.Run(server, server.address, seed=7, has_rules=False)
    try:
        one.run(HANG, is_enough)
        return one.counts()
    finally:
        server.kill()


def test_a_server_without_defects_passes(tmp_path):
    wanted = {"comparisons": 3, "departures checked": 1, "append": 11}
    done = run(tmp_path, None, lambda done: all(done[name] >= count for name, count in wanted.items()))
    assert all(done[name] >= count for name, count in wanted.items())


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found(tmp_path, defect, monkeypatch):
    monkeypatch.setattr("world.PATIENCE", 5)
    with pytest.raises(Violation):
        run(tmp_path, defect)


@pytest.mark.parametrize("value, wanted", [
    (None, ""), (4, "eVih19a6ZDz3NL32uVBtg9KSgQY="), ("hey guys", "CUNLXWpCVoJE6z7z1vE57lGaKAU="),
    (True, "E5z61QM0lN/U2WsOnusszCTkR8M="),
    ({"intNode": 4, "doubleNode": 4.5623, "stringNode": "hey guys", "boolNode": True}, "6Mc4jFmNdrLVIlJJjz2/MakTK9I="),
    ({"root": {"c": {".value": 99, ".priority": "abc"}, ".priority": "def"}}, "Fm6tzN4CVEu5WxFDZUdTtqbTVaA="),
    ({"root": {"c": {".value": 99, ".priority": 42}, ".priority": 3.14}}, "B15QCqrzCxrI5zz1y00arWqFRFg="),
])
def test_a_hash_is_that_of_the_vendors_clients(value, wanted):
    assert hashes.node_hash(value) == wanted


@pytest.mark.parametrize("query", [
    Query(".key", Bound("-Pa", None, True), Bound("-Pd"), 2), Query("rank", Bound(3, None, True), None),
    Query("rank", Bound(1), Bound(3, None, True), 3, False), Query("rank", Bound(3, "-Pb", True), Bound("b", "-Pe", True)),
    Query(".priority", Bound(None), Bound(2)), Query(".value", None, Bound("a", "-Pc")),
])
@pytest.mark.parametrize("dialect", [JavaScript(), Android()])
def test_all_dialects_ask_for_the_same_window(dialect, query):
    rows = {key: {"rank": rank} for key, rank in zip(["-Pa", "-Pb", "-Pc", "-Pd", "-Pe"], [3, 3, 1, 3, "b"])}
    rows.update({"-Pf": "a", "-Pg": {".value": 7, ".priority": 2}, "-Ph": True})
    assert query_of(dialect.query(query)).window(rows) == query.window(rows)


@pytest.mark.parametrize("key", ["-Pa", "a", "-", "zz", "a-", "7"])
def test_neighbours_stand_beside_their_key(key):
    if key != "-":
        assert len(predecessor(key).encode()) <= 786
    assert Query(".key", Bound(key, None, True)).window({key: 1, successor(key): 2}) == {successor(key): 2}


@pytest.mark.parametrize("frames", [
    ["0"], ["1", "{}"], ["02", "a", "b"], ["-1"], ["12345"], ["2", '{"t":"c",', '"d":}'], ["{"], [""],
    ["{" + " " * 16384 + "}"],
    ['{"a":1,"a":2}'], ['{"a":NaN}'],
])
def test_frames_that_no_client_understands_are_refused(frames):
    assembler = wire.Assembler()
    with pytest.raises(Violation):
        for frame in frames:
            assembler.message(frame)


def push(action, body):
    return {"t": "d", "d": {"a": action, "b": body}}


@pytest.mark.parametrize("message", [
    {"t": "d", "d": {"r": "1", "b": {"s": "ok", "d": ""}}}, {"t": "d", "d": {"r": 1, "b": {"s": "ok"}}},
    {"t": "c", "d": {"t": "r", "d": None}}, {"t": "x", "d": {}}, push("d", {"p": "/a", "d": 1}), push("d", {"p": "a/", "d": 1}),
    push("d", {"p": "a"}), push("d", {"p": "a", "d": [1]}), push("d", {"p": "a", "d": {"b": {}}}), push("m", {"p": "a", "d": {}}),
    push("m", {"p": "a", "d": {"/b": 1}}), push("m", {"p": "a", "d": {"b": 1, "b/c": 2}}), push("d", {"p": "a", "d": 1, "t": "1"}),
    push("d", {"p": "a", "d": {"b": None}}), push("d", {"p": "a", "d": {".value": 1}}), push("x", {}),
])
def test_messages_of_another_type_are_refused(message):
    with pytest.raises(Violation):
        wire.check(message)


def test_a_cut_message_is_put_together_again():
    text = '{"t":"c","d":{"t":"p","d":{"text":"' + "日" * 40_000 + '"}}}'
    assembler = wire.Assembler()
    frames = wire.cut(text)
    assert frames[0] == "3" and all(wire.units(frame) <= wire.UNITS for frame in frames)
    assert [assembler.message(frame) for frame in frames][-1]["d"]["d"]["text"] == "日" * 40_000
