"""Writes our own ICC profiles (ICC.1:2022), and converts colours into their spaces."""

import struct

D50 = (0.9642, 1.0, 0.8249)
D65 = (0.3127, 0.3290)
SRGB = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
P3 = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
ADOBE_RGB = ((0.64, 0.33), (0.21, 0.71), (0.15, 0.06))
BRADFORD = ((0.8951, 0.2664, -0.1614), (-0.7502, 1.7135, 0.0367), (0.0389, -0.0685, 1.0296))


def times(matrix, vector):
    return tuple(sum(a * b for a, b in zip(row, vector)) for row in matrix)


def product(left, right):
    return tuple(tuple(sum(row[k] * right[k][j] for k in range(3)) for j in range(3)) for row in left)


def inverse(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    scale = 1 / (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
    cofactors = ((e * i - f * h, c * h - b * i, b * f - c * e), (f * g - d * i, a * i - c * g, c * d - a * f),
                 (d * h - e * g, b * g - a * h, a * e - b * d))
    return tuple(tuple(scale * value for value in row) for row in cofactors)


def _xyz(x, y):
    return (x / y, 1.0, (1 - x - y) / y)


def to_xyz(primaries, white=D65):
    """The matrix from linear RGB to XYZ, adapted to D50."""
    columns = tuple(zip(*(_xyz(*p) for p in primaries)))
    strengths = times(inverse(columns), _xyz(*white))
    matrix = tuple(tuple(v * s for v, s in zip(row, strengths)) for row in columns)
    cones = [b / a for a, b in zip(times(BRADFORD, _xyz(*white)), times(BRADFORD, D50))]
    scaled = tuple(tuple(v * s for v in row) for row, s in zip(BRADFORD, cones))
    return product(product(inverse(BRADFORD), scaled), matrix)


def linear(value):
    """sRGB's curve (IEC 61966-2-1), 0 to 1."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def encoded(value):
    value = min(1, max(0, value))
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def in_space(primaries, gamma=None):
    """Returns a function from an sRGB pixel to the same colour in a space with other primaries, and with sRGB's curve or a power."""
    matrix = product(inverse(to_xyz(primaries)), to_xyz(SRGB))
    def pixel(p):
        light = times(matrix, [linear(c / 255) for c in p[:3]])
        back = [encoded(v) if gamma is None else min(1, max(0, v)) ** (1 / gamma) for v in light]
        return tuple(int(v * 255 + 0.5) for v in back) + (p[3],)
    return pixel


def _s15(value):
    return struct.pack(">i", round(value * 65536))


def _tag_xyz(values):
    return b"XYZ \0\0\0\0" + b"".join(map(_s15, values))


def _tag_text(text):
    content = text.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(content), 28) + content


def _tag_curve(gamma):
    if gamma is None:
        return b"para\0\0\0\0\0\3\0\0" + b"".join(map(_s15, (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)))
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"


def _profile(kind, space, pcs, tags):
    tags = {b"desc": _tag_text("Tintype test"), b"cprt": _tag_text("CC0"), b"wtpt": _tag_xyz(D50), **tags}
    table, content = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for signature, tag in tags.items():
        table += struct.pack(">4sII", signature, start + len(content), len(tag))
        content += tag + bytes(-len(tag) % 4)
    header = struct.pack(">I4sI4s4s4s12s4s", start + len(content), b"", 0x04300000, kind, space, pcs, bytes(12), b"acsp")
    header = header.ljust(68, b"\0") + b"".join(map(_s15, D50))
    return header.ljust(128, b"\0") + table + content


def rgb(primaries, gamma=None):
    colorants = zip(*to_xyz(primaries))
    tags = {name: _tag_xyz(column) for name, column in zip((b"rXYZ", b"gXYZ", b"bXYZ"), colorants)}
    return _profile(b"mntr", b"RGB ", b"XYZ ", {**tags, **{n: _tag_curve(gamma) for n in (b"rTRC", b"gTRC", b"bTRC")}})


def grey(gamma):
    return _profile(b"mntr", b"GRAY", b"XYZ ", {b"kTRC": _tag_curve(gamma)})


# The red, green and blue light that each ink leaves where it is printed full.
INKS = ((0.05, 0.55, 0.80), (0.75, 0.08, 0.40), (0.95, 0.85, 0.10), (0.06, 0.06, 0.06))
GRID = 5


def print_light(inks):
    """Linear sRGB of four inks, 0 to 1: each absorbs its share of the light (a simplification of real inks)."""
    light = [1.0, 1.0, 1.0]
    for amount, left in zip(inks, INKS):
        light = [value * (1 - amount ** 1.2 * (1 - share)) for value, share in zip(light, left)]
    return light


def printed(pixel):
    """The sRGB colour of an RGB pixel whose inks were separated like in encode-jpeg; black is the darkest mixture."""
    black = max(pixel[:3])
    inks = [0 if black == 0 else 1 - c / black for c in pixel[:3]] + [1 - black / 255]
    darkest = print_light((1, 1, 1, 1))
    light = [(v - d) / (1 - d) for v, d in zip(print_light(inks), darkest)]
    return tuple(int(encoded(v) * 255 + 0.5) for v in light) + (pixel[3],)


def _lab(xyz):
    def f(v):
        return v ** (1 / 3) if v > 216 / 24389 else (v * 24389 / 27 + 16) / 116
    x, y, z = (f(v / w) for v, w in zip(xyz, D50))
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


def cmyk():
    """A table of 5×5×5×5 mixtures (lut16Type), from ink to Lab."""
    matrix = to_xyz(SRGB)
    table = []
    for index in range(GRID ** 4):
        inks = [index // GRID ** (3 - k) % GRID / (GRID - 1) for k in range(4)]
        lightness, a, b = _lab(times(matrix, print_light(inks)))
        table += [round(lightness * 652.8), round((a + 128) * 256), round((b + 128) * 256)]
    identity = struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 65536)
    straight = struct.pack(">HH", 0, 65535)
    lut = b"mft2\0\0\0\0" + bytes((4, 3, GRID, 0)) + identity + struct.pack(">HH", 2, 2) + straight * 4
    lut += struct.pack(">%dH" % len(table), *table) + straight * 3
    return _profile(b"prtr", b"CMYK", b"Lab ", {b"A2B0": lut})
