"""The hashes by which clients and the server compare values without sending them."""

import base64
import hashlib
import json
import struct

from model import children, is_leaf, leaf, priority
from queries import key_order, value_order


def digest(data):
    return base64.b64encode(hashlib.sha1(data).digest()).decode()


def scalar_text(value):
    if isinstance(value, bool):
        return f"boolean:{json.dumps(value)}"
    if isinstance(value, (int, float)):
        return f"number:{struct.pack('>d', value).hex()}"
    return f"string:{value}"


def node_hash(value):
    """Returns the hash of a node that clients compare; it is empty for an absent value."""
    if value is None:
        return ""
    start = "" if priority(value) is None else f"priority:{scalar_text(priority(value))}:"
    if is_leaf(value):
        return digest((start + scalar_text(leaf(value))).encode())
    ordered = sorted(children(value).items(), key=lambda item: (value_order(priority(item[1])), key_order(item[0])))
    return digest((start + "".join(f":{key}:{node_hash(item)}" for key, item in ordered)).encode())


def escaped(string):
    return '"' + string.replace("\\", "\\\\").replace('"', '\\"') + '"'


def serialised(value):
    return f"string:{escaped(value)}" if isinstance(value, str) else scalar_text(value)


class CompoundHash:
    """The hashes of the ranges of a value, and the paths of the leaves at which they end. Phones send them in place of a complete
    value, so that a server may answer with the ranges that differ."""

    def __init__(self, value, threshold=512):
        self.hashes, self.ends = [], []
        self.threshold, self.text, self.keys = threshold, "", ()
        self.visit(value, ())
        if self.text:
            self.finish()

    def body(self):
        return {"hs": self.hashes + [""], "ps": self.ends}

    def visit(self, value, keys):
        if value is None:
            return
        if is_leaf(value):
            self.enter(keys)
            prefix = "" if priority(value) is None else f"priority:{serialised(priority(value))}:"
            self.text += prefix + serialised(leaf(value))
            if len(self.text) > self.threshold:
                self.finish()
            return
        if priority(value) is not None:
            self.visit(priority(value), keys + (".priority",))
        for key in sorted(children(value), key=key_order):
            self.visit(children(value)[key], keys + (key,))

    def enter(self, keys):
        """Opens the parentheses of a leaf's path, after closing those of the previous leaf that it does not share."""
        common = 0
        if self.text:
            while keys[common] == self.keys[common]:
                common += 1
            self.text += ")" * (len(self.keys) - common) + ","
        else:
            self.text = "("
        self.text += ":(".join(escaped(key) for key in keys[common:]) + ":("
        self.keys = keys

    def finish(self):
        self.hashes.append(digest((self.text + ")" * (len(self.keys) + 1)).encode()))
        self.ends.append("/".join(self.keys))
        self.text, self.keys = "", ()
