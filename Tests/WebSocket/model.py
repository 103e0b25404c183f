"""JSON trees like those of a Realtime Database: export form, writes at paths, server values.

A value is None, a leaf, or an object of children; a priority is stored as `.priority`, and a leaf with one as `.value`. No
value is changed in place: a state of a tree stays valid.
"""

import json


def path(text):
    """Returns the keys of a path, with any number of slashes."""
    return tuple(key for key in text.split("/") if key)


def normal(value):
    """Returns the value as the tree stores it: without empty objects, arrays, nulls, and unnecessary wrappers."""
    if isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}
    if not isinstance(value, dict):
        return value
    priority = value.get(".priority")
    if ".value" in value:
        leaf = value[".value"]
        return leaf if leaf is None or priority is None else {".value": leaf, ".priority": priority}
    kept = {key: normal(child) for key, child in value.items() if key != ".priority"}
    kept = {key: child for key, child in kept.items() if child is not None}
    if kept and priority is not None:
        kept[".priority"] = priority
    return kept or None


def is_leaf(value):
    return value is not None and (not isinstance(value, dict) or ".value" in value)


def leaf(value):
    """Returns the value of a leaf, without its priority."""
    return value[".value"] if isinstance(value, dict) else value


def children(value):
    if value is None or is_leaf(value):
        return {}
    return {key: child for key, child in value.items() if key != ".priority"}


def priority(value):
    return value.get(".priority") if isinstance(value, dict) else None


def with_priority(value, new):
    if value is None:
        return None
    if is_leaf(value):
        return leaf(value) if new is None else {".value": leaf(value), ".priority": new}
    return normal({**children(value), ".priority": new})


def child(value, keys):
    for key in keys:
        value = children(value).get(key)
    return value


def put(value, keys, new):
    """Returns the value after a write of `new` at a path below it."""
    if not keys:
        return normal(new)
    key, rest = keys[0], keys[1:]
    if key == ".priority":
        return with_priority(value, new)
    kept = dict(children(value))
    written = put(kept.get(key), rest, new)
    if written is None:
        if is_leaf(value):
            return value
        kept.pop(key, None)
    else:
        kept[key] = written
    if priority(value) is not None:
        kept[".priority"] = priority(value)
    return None if kept.keys() <= {".priority"} else kept


def merge(value, keys, writes):
    """Returns the value after an update: its keys are paths below `keys`, and may begin with a slash."""
    for name, new in writes.items():
        value = put(value, keys + path(name), new)
    return value


def resolve(new, old, now):
    """Returns a client's value with its server values filled in; `old` is the value before."""
    if isinstance(new, list):
        new = {str(index): item for index, item in enumerate(new)}
    if not isinstance(new, dict):
        return new
    if ".sv" in new:
        if new[".sv"] == "timestamp":
            return now
        base = leaf(old) if is_leaf(old) else 0
        is_number = isinstance(base, (int, float)) and not isinstance(base, bool)
        return (base if is_number else 0) + new[".sv"]["increment"]
    before = {".priority": priority(old), ".value": old}
    return {key: resolve(item, before[key] if key in before else child(old, (key,)), now) for key, item in new.items()}


def differences(found, wanted, keys=(), most=4):
    """Returns the differences between two values, as text: the topmost paths, a few of them."""
    here, there = children(found), children(wanted)
    if not here or not there or text(priority(found)) != text(priority(wanted)):
        return [] if text(found) == text(wanted) else [f"/{'/'.join(keys)}: {text(found)[:300]} instead of {text(wanted)[:300]}"]
    result = []
    for key in sorted({*here, *there}):
        if len(result) < most:
            result += differences(here.get(key), there.get(key), keys + (key,), most)
    return result


def text(value):
    """Returns a text that two values share exactly when they are equal: 1 equals 1.0, and not true."""

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return json.dumps(plain(value), sort_keys=True)
