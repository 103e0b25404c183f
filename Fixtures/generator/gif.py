"""Writes GIFs, whole and broken."""

import struct


def lzw(indices, code_size=8):
    """LZW data with its code size and sub-blocks (GIF89a, appendix F)."""
    clear, end = 1 << code_size, (1 << code_size) + 1
    bits, bit_count, out = 0, 0, bytearray()
    table, width = {}, code_size + 1

    def emit(code):
        nonlocal bits, bit_count
        bits |= code << bit_count
        bit_count += width
        while bit_count >= 8:
            out.append(bits & 255)
            bits >>= 8
            bit_count -= 8

    emit(clear)
    table = {(i,): i for i in range(clear)}
    word = ()
    for index in indices:
        longer = word + (index,)
        if longer in table:
            word = longer
            continue
        emit(table[word])
        if len(table) + 2 < 4095:
            table[longer] = len(table) + 2
            if len(table) + 2 > 1 << width:
                width += 1
        else:
            emit(clear)
            table, width = {(i,): i for i in range(clear)}, code_size + 1
        word = (index,)
    if word:
        emit(table[word])
    emit(end)
    if bit_count:
        out.append(bits & 255)
    return bytes([code_size]) + sub_blocks(bytes(out))


def sub_blocks(data):
    blocks = (data[i:i + 255] for i in range(0, len(data), 255))
    return b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def comment(text):
    return b"\x21\xfe" + sub_blocks(text)


def loops(count):
    """Netscape's application extension: the number of repetitions of an animation."""
    return b"\x21\xff\x0bNETSCAPE2.0" + sub_blocks(struct.pack("<BH", 1, count))


def control(transparent=None, delay=0, disposal=0):
    flags = (0 if transparent is None else 1) | disposal << 2
    return b"\x21\xf9\x04" + struct.pack("<BHBB", flags, delay, transparent or 0, 0)


def color_table(palette):
    """Padded with black to the next power of two; returns its size field and its bytes."""
    size = max(1, (len(palette) - 1).bit_length())
    colors = [color[:3] for color in palette] + [(0, 0, 0)] * ((1 << size) - len(palette))
    return size - 1, bytes(channel for color in colors for channel in color)


def frame(width, height, data, left=0, top=0, interlace=False, palette=None):
    flags = 0x40 if interlace else 0
    table = b""
    if palette:
        size, table = color_table(palette)
        flags |= 0x80 | size
    return b"\x2c" + struct.pack("<HHHHB", left, top, width, height, flags) + table + data


def screen(width, height, palette=None):
    if not palette:
        return b"GIF89a" + struct.pack("<HHBBB", width, height, 0, 0, 0)
    size, table = color_table(palette)
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80 | size, 0, 0) + table


def indices(picture, palette, interlace=False):
    """The picture's pixels as indices into the palette; transparent ones are index `palette.index((0, 0, 0, 0))`."""
    rows = list(range(picture.height))
    if interlace:
        rows = rows[0::8] + rows[4::8] + rows[2::4] + rows[1::2]
    numbers = {color: i for i, color in enumerate(palette)}
    return [numbers[picture.at(x, y)] for y in rows for x in range(picture.width)]


TRAILER = b"\x3b"
