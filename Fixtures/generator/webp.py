"""Writes WebPs: cwebp codes the pictures, this module writes the file around them."""

import os
import struct
import subprocess
import tempfile

from generator import png

ANIMATED, XMP, EXIF, ALPHA, PROFILE = 2, 4, 8, 16, 32


def chunk(kind, payload):
    return kind + struct.pack("<I", len(payload)) + payload + bytes(len(payload) % 2)


def riff(*chunks):
    content = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(content)) + content


def _u24(value):
    return struct.pack("<I", value)[:3]


def header(width, height, flags):
    """The header of an extended file."""
    return chunk(b"VP8X", struct.pack("<I", flags) + _u24(width - 1) + _u24(height - 1))


def animation(loops=0):
    return chunk(b"ANIM", struct.pack("<IH", 0xFFFFFFFF, loops))


def frame(width, height, chunks, left=0, top=0, milliseconds=100, blend=True, clear=False):
    head = b"".join(_u24(value) for value in (left // 2, top // 2, width - 1, height - 1, milliseconds))
    return chunk(b"ANMF", head + bytes([(0 if blend else 2) | (1 if clear else 0)]) + chunks)


def encode(picture, *options):
    """The chunks of a picture: VP8L, or VP8 with an optional ALPH before it. For the options see cwebp."""
    color_type = png.RGBA if any(pixel[3] != 255 for pixel in picture.pixels) else png.RGB
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.png"), os.path.join(folder, "out.webp")
        with open(source, "wb") as file:
            file.write(png.encode(picture, 8, color_type))
        subprocess.run(["cwebp", "-quiet", *options, source, "-o", target], check=True)
        with open(target, "rb") as file:
            content = file.read()
    kinds, offset = (b"ALPH", b"VP8 ", b"VP8L"), 12
    chunks = b""
    while offset < len(content):
        length = struct.unpack_from("<I", content, offset + 4)[0]
        end = offset + 8 + length + length % 2
        if content[offset:offset + 4] in kinds:
            chunks += content[offset:end]
        offset = end
    return chunks


def lossless_size(width, height):
    """The header of a lossless picture of this size, without the picture."""
    return chunk(b"VP8L", b"\x2f" + struct.pack("<I", width - 1 | height - 1 << 14) + bytes(5))
