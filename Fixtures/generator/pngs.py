"""All kinds of whole PNGs."""

import struct

from generator import exif, picture, png
from generator.fixture import whole


def reduced(pixel, depth):
    """A pixel that a depth of less than 8 bits holds exactly."""
    top = (1 << depth) - 1
    return tuple((c * top + 127) // 255 * 255 // top for c in pixel[:3]) + (pixel[3],)


def to_palette(shown, colors):
    """The picture in at most this many colours, and those colours."""
    steps = max(2, int(colors ** (1 / 3)))
    def nearest(pixel):
        if pixel[3] < 128:
            return (0, 0, 0, 0)
        return tuple((c * (steps - 1) + 127) // 255 * 255 // (steps - 1) for c in pixel[:3]) + (255,)
    reduced_picture = shown.map(nearest)
    palette = sorted(set(reduced_picture.pixels))
    kept = palette[:colors]
    return reduced_picture.map(lambda p: p if p in kept else kept[-1]), kept


def fixtures():
    shown, holed = picture.make(96, 72), picture.make(96, 72, has_alpha=True)
    made = []
    def add(name, content, expected, alpha=False):
        made.append(whole(name + ".png", content, expected, "png", alpha))
    for interlace in (False, True):
        suffix = "-interlaced" if interlace else ""
        for depth in (1, 2, 4, 8, 16):
            shades = shown.map(lambda p: reduced(picture.grey(p), min(depth, 8)))
            add("grey-%d%s" % (depth, suffix), png.encode(shades, depth, png.GREY, interlace), shades)
        for depth in (1, 2, 4, 8):
            colors, palette = to_palette(shown, 1 << depth)
            add("palette-%d%s" % (depth, suffix), png.encode(colors, depth, png.PALETTE, interlace, palette), colors)
        for depth in (8, 16):
            add("rgb-%d%s" % (depth, suffix), png.encode(shown, depth, png.RGB, interlace), shown)
            add("rgba-%d%s" % (depth, suffix), png.encode(holed, depth, png.RGBA, interlace), holed, True)
            shades = holed.map(picture.grey)
            add("grey-alpha-%d%s" % (depth, suffix), png.encode(shades, depth, png.GREY_ALPHA, interlace), shades, True)
    _add_transparent(add, shown, holed)
    _add_odd(add, made, shown)
    return made


def _add_transparent(add, shown, holed):
    """One colour that a tRNS chunk declares transparent: the top left corner's."""
    for depth in (1, 2, 4, 8, 16):
        shades = shown.map(lambda p: reduced(picture.grey(p), min(depth, 8)))
        sample = shades.at(4, 4)[0] * ((1 << depth) - 1) // 255
        expected = shades.map(lambda p: (0, 0, 0, 0) if p == shades.at(4, 4) else p)
        add("grey-%d-trns" % depth, png.encode(shades, depth, png.GREY, transparent=struct.pack(">H", sample)), expected, True)
    for depth in (8, 16):
        key = [c * ((1 << depth) - 1) // 255 for c in shown.at(4, 4)[:3]]
        expected = shown.map(lambda p: (0, 0, 0, 0) if p == shown.at(4, 4) else p)
        add("rgb-%d-trns" % depth, png.encode(shown, depth, png.RGB, transparent=struct.pack(">3H", *key)), expected, True)
    colors, palette = to_palette(holed, 255)
    add("palette-8-trns", png.encode(colors, 8, png.PALETTE, palette=palette), colors, True)


def _add_odd(add, made, shown):
    for width, height in ((1, 1), (97, 61), (24, 16), (1, 200)):
        sized = picture.make(width, height)
        add("size-%dx%d" % (width, height), png.encode(sized, 8, png.RGB), sized)
    small = picture.make(5, 3)
    add("size-5x3-interlaced", png.encode(small, 8, png.RGB, True), small)
    text = png.chunk(b"tEXt", b"Comment\0" + exif.SECRET)
    add("text", png.encode(shown, 8, png.RGB, before=text, after=text), shown)
    bombs = png.text_bomb(b"iCCP", 12_000_000) + png.text_bomb(b"zTXt", 4_000_000)
    made.append(whole("metadata-bomb.png", png.encode(small, 8, png.RGB, before=bombs), small, "png",
                      warnings=("profile_ignored",)))
    turned = exif.tiff([(0x0112, exif.SHORT, 6)], b"MM")
    add("exif-6", png.encode(shown.stored_for(6), 8, png.RGB, before=png.chunk(b"eXIf", turned)), shown)
    add("exif-behind-pixels", png.encode(shown, 8, png.RGB, after=png.chunk(b"eXIf", turned)), shown)
    xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:Description tiff:Orientation='6'/></x:xmpmeta>"
    note = png.chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp)
    add("xmp-orientation", png.encode(shown, 8, png.RGB, before=note), shown)
