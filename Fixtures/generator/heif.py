"""Writes HEICs and AVIFs: coded pictures come from heif-enc, the file around them is made here."""

import os
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field

from generator import png


def box(kind, payload):
    return struct.pack(">I", len(payload) + 8) + kind + payload


def full_box(kind, payload, version=0, flags=0):
    return box(kind, struct.pack(">I", version << 24 | flags) + payload)


def size(width, height):
    return full_box(b"ispe", struct.pack(">II", width, height))


def rotation(quarters):
    """Quarters of a turn, anticlockwise."""
    return box(b"irot", bytes([quarters]))


def mirror(axis):
    """0: top and bottom are exchanged; 1: left and right."""
    return box(b"imir", bytes([axis]))


def aperture(width, height, right=0, bottom=0):
    """What shows; `right` and `bottom` pixels more are hidden there than on the other side."""
    return box(b"clap", struct.pack(">IIIIiIiI", width, 1, height, 1, -right, 2, -bottom, 2))


ALPHA = full_box(b"auxC", b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")


@dataclass
class Item:
    kind: bytes
    properties: list
    data: bytes
    references: list = field(default_factory=list)  # (type, item numbers)
    flags: int = 0


def _boxes(content, start, end):
    while start < end:
        length, kind = struct.unpack_from(">I4s", content, start)
        yield kind, content[start:start + length], start + 8
        start += length


def encode(picture, *options, avif=False, depth=8):
    """The picture as an item; small and odd ones are coded larger, and cut. For the options see heif-enc."""
    width, height = max(64, picture.width + picture.width % 2), max(64, picture.height + picture.height % 2)
    if (width, height) != (picture.width, picture.height):
        item = encode(picture.extended(width, height), *options, avif=avif, depth=depth)
        right, bottom = width - picture.width, height - picture.height
        item.properties.append(aperture(picture.width, picture.height, right, bottom))
        return item
    color_type = png.GREY if all(r == g == b for r, g, b, a in picture.pixels) else png.RGB
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.png")
        target = os.path.join(folder, "out.avif" if avif else "out.heic")
        with open(source, "wb") as file:
            file.write(png.encode(picture, depth, color_type))
        command = ["heif-enc", "-q", "85", "--no-alpha", *(["-A"] if avif else []), *options, source, "-o", target]
        subprocess.run(command, check=True, capture_output=True)
        with open(target, "rb") as file:
            content = file.read()
    properties, data = [], b""
    for kind, whole, payload in _boxes(content, 0, len(content)):
        if kind == b"mdat":
            data = whole[8:]
        if kind == b"meta":
            for kind, inner, inside in _boxes(content, payload + 4, payload - 8 + len(whole)):
                if kind != b"iprp":
                    continue
                store = inside + 8
                store_end = inside + struct.unpack_from(">I", content, inside)[0]
                properties += [p for k, p, _ in _boxes(content, store, store_end) if k != b"pixi"]
    kind = b"av01" if avif else b"hvc1"
    return Item(kind, properties, data)


def file(items, primary=1, brand=b"heic", before=b""):
    """Items are numbered from 1; a grid's description lies in `idat`, as all data could."""
    entries, store, associations, references, offsets, data = b"", [], b"", b"", [], b""
    for number, item in enumerate(items, 1):
        entries += full_box(b"infe", struct.pack(">HH4sB", number, 0, item.kind, 0), 2, item.flags)
        indices = []
        for one in item.properties:
            if one not in store:
                store.append(one)
            indices.append(store.index(one) + 1)
        essential = (b"hvcC", b"av1C", b"irot", b"imir", b"clap")
        marks = bytes(i | (0x80 if store[i - 1][4:8] in essential else 0) for i in indices)
        associations += struct.pack(">HB", number, len(marks)) + marks
        for kind, others in item.references:
            references += box(kind, struct.pack(">HH%dH" % len(others), number, len(others), *others))
        offsets.append((len(data), len(item.data)))
        data += item.data

    def meta(start):
        places = b"".join(struct.pack(">HHHII", n, 0, 1, start + o, c) for n, (o, c) in enumerate(offsets, 1))
        return full_box(b"meta", b"".join([
            full_box(b"hdlr", b"\0\0\0\0pict" + bytes(13)),
            full_box(b"pitm", struct.pack(">H", primary)),
            full_box(b"iloc", struct.pack(">HH", 0x4400, len(offsets)) + places),
            full_box(b"iinf", struct.pack(">H", len(items)) + entries),
            box(b"iprp", box(b"ipco", b"".join(store)) + full_box(b"ipma", struct.pack(">I", len(items)) + associations)),
            full_box(b"iref", references) if references else b"",
        ]))
    head = box(b"ftyp", brand + b"\0\0\0\0mif1" + brand) + before
    return head + meta(len(head) + len(meta(0)) + 8) + box(b"mdat", data)


def grid(columns, rows, width, height):
    return struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, width, height)
