"""Writes PNGs of every colour type, bit depth and interlacing, and broken ones."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(kind, payload):
    checksum = zlib.crc32(kind + payload)
    return struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", checksum)


def header(width, height, depth, color_type, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, interlace))


def text_bomb(kind, byte_count):
    """A compressed text or profile chunk that unpacks to many zeros."""
    return chunk(kind, b"bomb\0\0" + zlib.compress(bytes(byte_count), 9))


def encode(picture, depth, color_type, interlace=False, palette=None, transparent=None, before=b"", after=b""):
    """Encodes a picture whose pixels the depth can hold exactly.

    `palette` is a list of RGBA; `transparent` a tRNS payload; `before` and `after` are chunks around the pixels.
    """
    parts = [SIGNATURE, header(picture.width, picture.height, depth, color_type, int(interlace))]
    if palette:
        parts.append(chunk(b"PLTE", bytes(c for color in palette for c in color[:3])))
        if any(color[3] != 255 for color in palette):
            parts.append(chunk(b"tRNS", bytes(color[3] for color in palette)))
    if transparent is not None:
        parts.append(chunk(b"tRNS", transparent))
    samples = _samples_of(depth, color_type, palette)
    data = b"".join(_scan(picture, depth, samples, *p) for p in (ADAM7 if interlace else ((0, 0, 1, 1),)))
    parts += [before, chunk(b"IDAT", zlib.compress(data, 9)), after, chunk(b"IEND", b"")]
    return b"".join(parts)


def encode_samples(picture, samples, depth=16, color_type=RGB, interlace=False, before=b""):
    """Encodes the samples that `samples` returns for each pixel, as a list; `before` are chunks before the pixels."""
    data = b"".join(_scan(picture, depth, samples, *p) for p in (ADAM7 if interlace else ((0, 0, 1, 1),)))
    return b"".join([SIGNATURE, header(picture.width, picture.height, depth, color_type, int(interlace)), before,
                     chunk(b"IDAT", zlib.compress(data, 9)), chunk(b"IEND", b"")])


def _samples_of(depth, color_type, palette):
    """Returns a function from a pixel to samples of the given depth."""
    top = (1 << depth) - 1
    def scaled(channels):
        return [c * top // 255 for c in channels]
    if color_type == PALETTE:
        index = {color: i for i, color in enumerate(palette)}
        return lambda pixel: [index[pixel]]
    return {
        GREY: lambda pixel: scaled(pixel[:1]),
        RGB: lambda pixel: scaled(pixel[:3]),
        GREY_ALPHA: lambda pixel: scaled((pixel[0], pixel[3])),
        RGBA: lambda pixel: scaled(pixel),
    }[color_type]


def _scan(picture, depth, samples, left, top, step_x, step_y):
    """The filtered rows of one pass, each row with another filter."""
    rows, previous, stride = [], None, 1
    for number, y in enumerate(range(top, picture.height, step_y)):
        values = [samples(picture.at(x, y)) for x in range(left, picture.width, step_x)]
        if not values:
            return b""
        stride = max(1, len(values[0]) * depth // 8)
        row = _pack([sample for pixel in values for sample in pixel], depth)
        rows.append(_filtered(row, previous or bytes(len(row)), stride, number % 5))
        previous = row
    return b"".join(rows)


def _pack(samples, depth):
    if depth == 16:
        return struct.pack(">%dH" % len(samples), *samples)
    bits = "".join(format(sample, "0%db" % depth) for sample in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def _paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def _filtered(row, above, stride, kind):
    def predicted(i):
        a = row[i - stride] if i >= stride else 0
        b = above[i]
        c = above[i - stride] if i >= stride else 0
        return (0, a, b, (a + b) // 2, _paeth(a, b, c))[kind]
    return bytes([kind]) + bytes((value - predicted(i)) & 255 for i, value in enumerate(row))
