"""Queries: the order of children, and the window of bounds and a limit."""

import dataclasses
import re
import typing

import model

INTEGER = re.compile(r"-?0*\d{1,10}\Z", re.ASCII)
KEY, VALUE, PRIORITY = ".key", ".value", ".priority"


def key_order(key):
    """Sorts keys: integers of 32 bits first, then all others by their UTF-16 units."""
    if INTEGER.match(key) and -(1 << 31) <= int(key) < 1 << 31:
        return (0, int(key), len(key), b"")
    return (1, 0, 0, key.encode("utf-16-be", "surrogatepass"))


def value_order(value):
    """Sorts values: null, false, true, numbers, strings, objects."""
    if value is None:
        return (0, 0, b"")
    if not model.is_leaf(value):
        return (5, 0, b"")
    value = model.leaf(value)
    if isinstance(value, bool):
        return (2 if value else 1, 0, b"")
    if isinstance(value, (int, float)):
        return (3, value, b"")
    return (4, 0, value.encode("utf-16-be", "surrogatepass"))


@dataclasses.dataclass(frozen=True)
class Bound:
    """An end of a range: a value (in an order by key: a key), and optionally a key among equal values; open is startAfter, endBefore."""

    value: typing.Any
    key: typing.Optional[str] = None
    is_open: bool = False


@dataclasses.dataclass(frozen=True)
class Query:
    """A client's query, independent of its SDK."""

    index: str = PRIORITY
    start: typing.Optional[Bound] = None
    end: typing.Optional[Bound] = None
    limit: typing.Optional[int] = None
    is_left: bool = True

    def window(self, value):
        """Returns the window of the query in a node: complete children, and no priority of the node itself."""
        found = [(self.position(key, item), key, item) for key, item in model.children(value).items()]
        found = sorted((entry for entry in found if self.holds(entry[0])), key=lambda entry: entry[0])
        if self.limit is not None:
            found = found[:self.limit] if self.is_left else found[-self.limit:]
        return {key: item for _, key, item in found} or None

    def position(self, key, item):
        if self.index == KEY:
            return (key_order(key), ())
        if self.index == VALUE:
            by = item
        elif self.index == PRIORITY:
            by = model.priority(item)
        else:
            by = model.child(item, model.path(self.index))
        return (value_order(by), key_order(key))

    def holds(self, position):
        return not (self.start and self.is_before(position, self.start)) and not (self.end and self.is_after(position, self.end))

    def at(self, bound):
        if self.index == KEY:
            return (key_order(bound.value), ())
        return (value_order(bound.value), None if bound.key is None else key_order(bound.key))

    def is_before(self, position, bound):
        """Whether a child comes before the start of the range."""
        at = self.at(bound)
        if position[0] != at[0]:
            return position[0] < at[0]
        if at[1] in (None, ()) or position[1] == at[1]:
            return bound.is_open
        return position[1] < at[1]

    def is_after(self, position, bound):
        """Whether a child comes after the end of the range."""
        at = self.at(bound)
        if position[0] != at[0]:
            return position[0] > at[0]
        if at[1] in (None, ()) or position[1] == at[1]:
            return bound.is_open
        return position[1] > at[1]
