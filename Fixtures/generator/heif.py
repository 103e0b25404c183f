"""Writes HEICs and AVIFs: heif-enc codes the pictures, this module writes the file around them."""

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
    """The visible part; it excludes `right` and `bottom` pixels more there than on the opposite side."""
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


def color(primaries, transfer, matrix, is_full_range=True):
    """The colours, as numbers of ITU-T H.273."""
    return box(b"colr", b"nclx" + struct.pack(">HHHB", primaries, transfer, matrix, 0x80 if is_full_range else 0))


def light_level(peak, mean=0):
    """The brightest pixel, and the mean of the brightest frame, in cd/m2."""
    return box(b"clli", struct.pack(">HH", peak, mean))


def encode(picture, *options, avif=False, depth=8, samples=None):
    """The picture as an item; small and odd ones are coded larger, and cropped. For the options see heif-enc.

    `samples` gives a pixel's three samples of 16 bits.
    """
    width, height = max(64, picture.width + picture.width % 2), max(64, picture.height + picture.height % 2)
    if (width, height) != (picture.width, picture.height):
        item = encode(picture.extended(width, height), *options, avif=avif, depth=depth, samples=samples)
        right, bottom = width - picture.width, height - picture.height
        item.properties.append(aperture(picture.width, picture.height, right, bottom))
        return item
    color_type = png.GREY if all(r == g == b for r, g, b, a in picture.pixels) else png.RGB
    source = png.encode(picture, depth, color_type) if samples is None else png.encode_samples(picture, samples)
    command = ["heif-enc", "-q", "85", "--no-alpha", *(["-A"] if avif else []), *options]
    return _coded(source, b"av01" if avif else b"hvc1", command)


def encode_av1(picture, bits, chroma, *options, samples=None):
    """The picture as an item of AV1; for the options see avifenc. heif-enc does not support every kind."""
    color_type = png.GREY if chroma == "400" else png.RGB
    source = png.encode(picture, 16, color_type) if samples is None else png.encode_samples(picture, samples)
    command = ["avifenc", "--min", "8", "--max", "16", "-s", "6", "-j", "1", "--ignore-icc", "-d", str(bits), "-y",
               chroma, *options]
    return _coded(source, b"av01", command)


def encode_hevc(picture, bits, luma, is_full_range, samples=None):
    """The picture as an item of HEVC with all of its chroma; for kinds that heif-enc does not support.

    `luma` is the share of red, and that of blue, in luma; without both, green, blue and red are coded. `samples`
    gives a pixel's three samples, 0 to 1.
    """
    red, blue = luma
    unit = 1 << bits - 8
    zero, one, half = (0, 256 * unit - 1, 256 * unit - 1) if is_full_range else (16 * unit, 219 * unit, 224 * unit)
    planes = ([], [], [])
    for pixel in picture.pixels:
        r, g, b = [c / 255 for c in pixel[:3]] if samples is None else samples(pixel)
        y = red * r + (1 - red - blue) * g + blue * b
        if red == 0:
            coded = [zero + v * one for v in (g, b, r)]
        else:
            differences = ((b - y) / 2 / (1 - blue), (r - y) / 2 / (1 - red))
            coded = [zero + y * one] + [128 * unit + d * half for d in differences]
        for plane, value in zip(planes, coded):
            plane.append(min(256 * unit - 1, max(0, int(value + 0.5))))
    raw = b"".join(struct.pack("<%d%s" % (len(p), "B" if bits == 8 else "H"), *p) for p in planes)
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.yuv"), os.path.join(folder, "out.hevc")
        with open(source, "wb") as file:
            file.write(raw)
        subprocess.run([
            "x265", "--input", source, "--input-res", "%dx%d" % (picture.width, picture.height), "--fps", "1",
            "--input-depth", str(bits), "--output-depth", str(bits), "--input-csp", "i444", "--frames", "1", "--qp", "8",
            "--no-info", "--pools", "none", "--frame-threads", "1", "-o", target], check=True, capture_output=True)
        with open(target, "rb") as file:
            units = [unit.rstrip(b"\0") for unit in file.read().split(b"\0\0\1")[1:]]
    return _of_units(units, picture.width, picture.height)


def _of_units(units, width, height):
    """An item of NAL units: parameter sets (32 to 34) go into its configuration."""
    sets = [(unit[0] >> 1 & 63, unit) for unit in units if unit[0] >> 1 & 63 in (32, 33, 34)]
    profile = next(unit for kind, unit in sets if kind == 33).replace(b"\0\0\3", b"\0\0")[3:15]
    arrays = b"".join(struct.pack(">BHH", 0x80 | kind, 1, len(unit)) + unit for kind, unit in sets)
    configuration = (b"\1" + profile + struct.pack(">HBBBBHBB", 0xF000, 0xFC, 0xFF, 0xF8, 0xF8, 0, 0x0F, len(sets))
                     + arrays)
    data = b"".join(struct.pack(">I", len(unit)) + unit for unit in units if unit[0] >> 1 & 63 < 32)
    return Item(b"hvc1", [box(b"hvcC", configuration), size(width, height)], data)


def _coded(source_content, item_kind, command):
    """A program's conversion of a PNG, as an item."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.png")
        target = os.path.join(folder, "out.avif" if item_kind == b"av01" else "out.heic")
        with open(source, "wb") as file:
            file.write(source_content)
        subprocess.run([*command, source, "-o", target], check=True, capture_output=True)
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
                properties += [p for k, p, _ in _boxes(content, store, store_end) if k not in (b"pixi", b"pasp")]
    return Item(item_kind, properties, data)


def file(items, primary=1, brand=b"heic", before=b""):
    """Items are numbered from 1; a grid's description is stored in `idat`, where all data could be."""
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
