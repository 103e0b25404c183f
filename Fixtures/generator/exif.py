"""Metadata segments for JPEG, and the TIFF structure inside EXIF."""

import struct

SHORT, LONG, ASCII, RATIONAL = 3, 4, 2, 5
SECRET = b"TINTYPE-SECRET-PLACE"


def tiff(entries, order=b"II", next_directory=0):
    """A TIFF structure of one directory; `entries` are (tag, type, value) with a number or bytes as value."""
    endian = "<" if order == b"II" else ">"
    directory_bytes = 2 + 12 * len(entries) + 4
    directory, extra = b"", b""
    for tag, kind, value in entries:
        if isinstance(value, bytes):
            count, offset = len(value) // (8 if kind == RATIONAL else 1), 8 + directory_bytes + len(extra)
            field = value.ljust(4, b"\0") if len(value) <= 4 else struct.pack(endian + "I", offset)
            extra += value if len(value) > 4 else b""
        else:
            count = 1
            field = struct.pack(endian + ("HH" if kind == SHORT else "I"), *((value, 0) if kind == SHORT else (value,)))
        directory += struct.pack(endian + "HHI", tag, kind, count) + field
    head = order + struct.pack(endian + "HI", 42, 8)
    return head + struct.pack(endian + "H", len(entries)) + directory + struct.pack(endian + "I", next_directory) + extra


def with_gps(orientation):
    """Orientation, a description, and a GPS directory after them."""
    gps = tiff([(1, ASCII, b"N\0"), (2, RATIONAL, struct.pack("<6I", 47, 1, 22, 1, 30, 1)), (27, ASCII, SECRET + b"\0")])
    head = tiff([(0x010E, ASCII, SECRET + b"\0"), (0x0112, SHORT, orientation), (0x8825, LONG, 0)])
    offset = len(head)
    head = tiff([(0x010E, ASCII, SECRET + b"\0"), (0x0112, SHORT, orientation), (0x8825, LONG, offset)])
    # The offsets inside the GPS directory count from the start of the whole structure.
    moved = bytearray(gps[8:])
    for entry in (1, 2):
        at = 2 + entry * 12 + 8
        struct.pack_into("<I", moved, at, struct.unpack_from("<I", moved, at)[0] - 8 + offset)
    return head + bytes(moved)


def segment(marker, payload):
    return bytes([0xFF, marker]) + struct.pack(">H", len(payload) + 2) + payload


def app1(tiff_bytes):
    return segment(0xE1, b"Exif\0\0" + tiff_bytes)


def inserted(jpeg, *segments):
    """The JPEG with segments after its start marker."""
    return jpeg[:2] + b"".join(segments) + jpeg[2:]
