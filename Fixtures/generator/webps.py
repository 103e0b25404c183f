"""All kinds of WebPs: whole ones, and refused ones."""

import struct

from generator import exif, icc, picture, webp
from generator.fixture import refused, whole

LOSSY, LOSSLESS = ("-q", "90"), ("-lossless", "-exact")


def _add_alpha(chunks, width, height):
    return webp.riff(webp.header(width, height, webp.ALPHA), chunks)


def fixtures():
    shown, holed = picture.make(96, 72), picture.make(96, 72, has_alpha=True)
    lossy, lossless = webp.encode(shown, *LOSSY), webp.encode(shown, *LOSSLESS)
    made = []

    def add(name, content, expected, alpha=False, frames=1, warnings=()):
        made.append(whole(name + ".webp", content, expected, "webp", alpha, frames, warnings))

    add("lossy", webp.riff(lossy), shown)
    add("lossless", webp.riff(lossless), shown)
    add("lossy-alpha", _add_alpha(webp.encode(holed, *LOSSY), 96, 72), holed, True)
    add("lossy-raw-alpha", _add_alpha(webp.encode(holed, *LOSSY, "-alpha_method", "0"), 96, 72), holed, True)
    add("lossless-alpha", webp.riff(webp.encode(holed, *LOSSLESS)), holed, True)
    add("trailing-bytes", webp.riff(lossy) + b"more", shown)
    for width, height in ((1, 1), (97, 61), (24, 16), (640, 480), (1, 200)):
        sized = picture.make(width, height)
        add("size-%dx%d" % (width, height), webp.riff(webp.encode(sized, *LOSSY)), sized)
    small = picture.make(24, 16, has_alpha=True)
    add("size-24x16-alpha", _add_alpha(webp.encode(small, *LOSSY), 24, 16), small, True)
    small = picture.make(24, 16)
    add("size-24x16-lossless", webp.riff(webp.encode(small, *LOSSLESS)), small)
    _add_metadata(add, shown, lossy)
    _add_animations(add, shown)
    return made


def _add_metadata(add, shown, lossy):
    turned = webp.encode(shown.stored_for(6), *LOSSY)
    flags = webp.EXIF | webp.XMP | webp.PROFILE
    head = webp.header(72, 96, flags)
    note = webp.chunk(b"XMP ", exif.SECRET)
    profile = webp.chunk(b"ICCP", exif.SECRET)
    gps = exif.with_gps(6)
    add("exif-gps", webp.riff(head, profile, turned, webp.chunk(b"EXIF", gps), note), shown,
        warnings=("profile_ignored",))
    add("exif-prefix", webp.riff(head, turned, webp.chunk(b"EXIF", b"Exif\0\0" + gps)), shown)
    wide = webp.encode(shown.map(icc.in_space(icc.P3)), *LOSSY)
    add("profile-p3", webp.riff(webp.header(96, 72, webp.PROFILE), webp.chunk(b"ICCP", icc.rgb(icc.P3)), wide), shown)
    add("exif-cut", webp.riff(webp.header(96, 72, flags), lossy, webp.chunk(b"EXIF", b"II*\0\xff")), shown)


def _frames():
    """A small patch of one colour, opaque or half transparent, as the chunks of a frame."""
    def patch(color):
        return picture.Picture(16, 12, [color] * (16 * 12))
    return (webp.encode(patch((250, 10, 10, 255)), *LOSSLESS), webp.encode(patch((10, 10, 250, 128)), *LOSSLESS))


def _add_animations(add, shown):
    head = webp.header(96, 72, webp.ANIMATED | webp.ALPHA)
    first = webp.frame(96, 72, webp.encode(shown, *LOSSY))
    red, blue = _frames()
    add("animated", webp.riff(
        head, webp.animation(3), first, webp.frame(16, 12, red, 40, 30, 200, clear=True),
        webp.frame(16, 12, blue, 48, 36, 50)), shown, frames=3)
    inner = webp.frame(96, 72, webp.encode(shown, *LOSSLESS), 24, 20)
    add("animated-inside", webp.riff(webp.header(128, 96, webp.ANIMATED), webp.animation(), inner),
        shown.on_canvas(128, 96, 24, 20), True)
    small = picture.make(24, 16)
    add("animated-24x16", webp.riff(
        webp.header(24, 16, webp.ANIMATED | webp.ALPHA), webp.animation(),
        webp.frame(24, 16, webp.encode(small, *LOSSY)), webp.frame(16, 12, blue, 2, 2)), small, frames=2)


def broken(whole_files):
    lossy, lossless = whole_files["lossy.webp"], whole_files["lossless.webp"]
    pixels, other = lossy[12:], lossless[12:]
    made = [refused("truncated-" + name, whole_files[name][:len(whole_files[name]) * 2 // 3], "truncated", "ends too early")
            for name in ("lossy.webp", "lossless.webp", "animated.webp")]

    def add(name, content, code, says=""):
        made.append(refused(name + ".webp", content, code, says))

    def head(width, height, flags=0):
        return webp.header(width, height, flags)

    animated = head(96, 72, webp.ANIMATED) + webp.animation()
    cut = pixels[:4] + struct.pack("<I", 600) + pixels[8:608]
    add("signature-only", lossy[:12], "truncated")
    add("no-length", b"RIFF\0\0\0\0WEBP", "corrupt", "length")
    add("no-picture", webp.riff(head(96, 72)), "corrupt", "no picture")
    add("no-frame", webp.riff(animated), "corrupt", "no picture")
    add("two-sizes", webp.riff(head(96, 71), pixels), "corrupt", "two sizes")
    add("long-chunk", webp.riff(pixels[:4] + b"\xff\xff\xff\x7f" + pixels[8:]), "corrupt", "longer than the file")
    add("short-picture", webp.riff(cut), "truncated")
    add("no-key-frame", webp.riff(pixels[:8] + b"\x31" + pixels[9:]), "corrupt", "key frame")
    add("no-start-code", webp.riff(pixels[:11] + b"\0" + pixels[12:]), "corrupt", "key frame")
    add("damaged-lossless", webp.riff(other[:40] + bytes(60) + other[100:]), "corrupt")
    add("frame-outside", webp.riff(animated, webp.frame(96, 72, pixels, 2, 0)), "corrupt", "outside")
    add("frame-of-two-sizes", webp.riff(animated, webp.frame(90, 72, pixels)), "corrupt", "two sizes")
    add("frame-without-picture", webp.riff(animated, webp.frame(96, 72, b"")), "corrupt", "without a picture")
    add("bomb-canvas", webp.riff(head(1 << 24, 1 << 24, webp.ANIMATED), webp.animation(), webp.frame(96, 72, pixels)),
        "too_many_pixels")
    add("bomb-lossless", webp.riff(webp.lossless_size(16383, 16383)), "too_many_pixels", "16383×16383")
    large = webp.frame(10000, 10000, webp.lossless_size(10000, 10000))
    add("bomb-frames", webp.riff(head(10000, 10000, webp.ANIMATED), webp.animation(), large * 3), "too_many_frames",
        "3 frames")
    add("empty-lossless", webp.riff(webp.lossless_size(900, 900)), "corrupt")
    return made
