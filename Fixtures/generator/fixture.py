"""A file and its expectations."""

from dataclasses import dataclass


@dataclass
class Fixture:
    name: str
    content: bytes
    expected: dict | None  # None: not in the table


def whole(name, content, picture, kind, alpha=False, frames=1, warnings=()):
    """A file that shows the picture."""
    expected = {
        "format": kind, "width": picture.width, "height": picture.height, "alpha": alpha, "frames": frames,
        "corners": picture.corners(),
    }
    if warnings:
        expected["warnings"] = list(warnings)
    return Fixture(name, content, expected)


def refused(name, content, code, says=""):
    """A file that is refused with a code and a message that contains some words."""
    return Fixture(name, content, {"code": code, "says": says})
