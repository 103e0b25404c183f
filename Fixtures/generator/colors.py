"""Pictures whose colours are not stored as sRGB: correctly displayed, most have the colours of all others."""

import struct
import zlib

from generator import exif, hdr, icc, jpegs, picture, png, pngs
from generator.fixture import whole

IGNORED = ("profile_ignored",)


def app2(profile, parts=1):
    """An ICC profile in this many APP2 segments."""
    length = -(-len(profile) // parts)
    return [exif.segment(0xE2, b"ICC_PROFILE\0" + bytes((i + 1, parts)) + profile[i * length:(i + 1) * length])
            for i in range(parts)]


def iccp(profile):
    return png.chunk(b"iCCP", b"of a test\0\0" + zlib.compress(profile, 9))


def fixtures(encoder):
    return (_rgb_jpegs(encoder) + _print_jpegs(encoder) + _broken_jpegs(encoder) + _pngs() + _tagged_pngs()
            + _coded_pngs() + _light_pngs())


def _rgb_jpegs(encoder):
    shown, odd = picture.make(160, 120), picture.make(97, 61)
    p3, adobe, srgb = icc.rgb(icc.P3), icc.rgb(icc.ADOBE_RGB, 563 / 256), icc.rgb(icc.SRGB)
    in_p3, in_adobe = icc.in_space(icc.P3), icc.in_space(icc.ADOBE_RGB, 563 / 256)
    as_p3 = encoder.encode(shown.map(in_p3))
    turned = exif.app1(exif.tiff([(0x0112, exif.SHORT, 6)]))
    shades = shown.map(picture.grey)
    bright = shades.map(lambda p: tuple(int((icc.linear(c / 255)) ** (1 / 1.8) * 255 + 0.5) for c in p[:3]) + (p[3],))
    files = [
        ("profile-p3.jpg", exif.inserted(as_p3, *app2(p3)), shown),
        ("profile-p3-parts.jpg", exif.inserted(as_p3, *reversed(app2(p3, 3))), shown),
        ("profile-p3-444.jpg", exif.inserted(encoder.encode(shown.map(in_p3), "sampling=1x1"), *app2(p3)), shown),
        ("profile-p3-odd.jpg",
         exif.inserted(encoder.encode(odd.map(in_p3).stored_for(6)), turned, *app2(p3)), odd),
        ("profile-p3-rgb.jpg", exif.inserted(encoder.encode(shown.map(in_p3), "rgb"), *app2(p3)), shown),
        ("profile-adobe-rgb.jpg",
         exif.inserted(encoder.encode(shown.map(in_adobe), "progressive"), *app2(adobe)), shown),
        ("profile-srgb.jpg", exif.inserted(encoder.encode(shown), *app2(srgb)), shown),
        ("profile-grey.jpg", exif.inserted(encoder.encode(bright, "grey"), *app2(icc.grey(1.8))), shades),
        ("profile-srgb-grey.jpg", exif.inserted(encoder.encode(shades, "grey"), *app2(srgb)), shades),
    ]
    return [jpegs.fixture(*file) for file in files]


def _print_jpegs(encoder):
    shown, profile = picture.make(160, 120), icc.cmyk()
    kinds = {"cmyk": ("cmyk",), "cmyk-plain": ("cmyk", "plain"), "ycck": ("ycck",)}
    return [jpegs.fixture("profile-%s.jpg" % name, exif.inserted(encoder.encode(shown, *options), *app2(profile)),
                          shown.map(icc.printed)) for name, options in kinds.items()]


def _broken_jpegs(encoder):
    """Unusable profiles: the pictures are shown as if they had none."""
    shown = picture.make(96, 64)
    content, printed = encoder.encode(shown), encoder.encode(shown, "cmyk")
    p3 = icc.rgb(icc.P3)
    first, second = app2(p3, 2)
    files = {
        "profile-part-missing.jpg": exif.inserted(content, second),
        "profile-part-twice.jpg": exif.inserted(content, first, first, second),
        "profile-parts-differ.jpg": exif.inserted(content, first, *app2(p3, 3)[1:]),
        "profile-part-0.jpg": exif.inserted(content, exif.segment(0xE2, b"ICC_PROFILE\0\0\1" + p3)),
        "profile-cut.jpg": exif.inserted(content, *app2(p3[:200])),
        "profile-without-curves.jpg": exif.inserted(content, *app2(p3.replace(b"TRC", b"XXX"))),
        "profile-of-ink.jpg": exif.inserted(content, *app2(icc.cmyk())),
        "profile-of-programs.jpg": exif.inserted(content, *app2(p3.replace(b"para\0\0\0\0", b"mpet\0\0\0\0"))),
        "profile-of-grey.jpg": exif.inserted(content, *app2(icc.grey(1.8))),
        "profile-of-light.jpg": exif.inserted(printed, *app2(p3)),
    }
    return [jpegs.fixture(name, file, shown, IGNORED) for name, file in files.items()]


def _pngs():
    shown, holed = picture.make(96, 72), picture.make(96, 72, has_alpha=True)
    in_p3, p3 = icc.in_space(icc.P3), iccp(icc.rgb(icc.P3))
    def dark(p):
        return tuple(int(icc.linear(c / 255) ** (1 / 1.5) * 255 + 0.5) for c in p[:3]) + (p[3],)
    shades, holed_shades = shown.map(picture.grey), holed.map(picture.grey)
    grey = iccp(icc.grey(1.5))
    return [
        whole("profile-p3.png", png.encode(shown.map(in_p3), 8, png.RGB, before=p3), shown, "png"),
        whole("profile-p3-16.png", png.encode(shown.map(in_p3), 16, png.RGB, before=p3), shown, "png"),
        whole("profile-p3-alpha.png", png.encode(holed.map(in_p3), 8, png.RGBA, before=p3), holed, "png", True),
        whole("profile-grey.png", png.encode(shades.map(dark), 8, png.GREY, before=grey), shades, "png"),
        whole("profile-grey-alpha.png", png.encode(holed_shades.map(dark), 8, png.GREY_ALPHA, before=grey),
              holed_shades, "png", True),
        whole("profile-not-packed.png", png.encode(shown, 8, png.RGB, before=png.chunk(b"iCCP", b"a\0\0zzzz")), shown,
              "png", warnings=IGNORED),
        whole("profile-without-name.png", png.encode(shown, 8, png.RGB, before=png.chunk(b"iCCP", b"")), shown,
              "png", warnings=IGNORED),
    ]


def _gamma(value):
    return png.chunk(b"gAMA", struct.pack(">I", value))


def _primaries(white, *primaries):
    return png.chunk(b"cHRM", b"".join(struct.pack(">I", round(v * 100_000)) for p in (white, *primaries) for v in p))


def _tagged_pngs():
    """gAMA, cHRM and sRGB: a chunk that determines the colours, or one of those that describe them."""
    shown = picture.make(96, 72)
    in_p3, linear = icc.in_space(icc.P3), icc.in_space(icc.SRGB, 1.0)
    shades = shown.map(picture.grey)
    p3 = _primaries(icc.D65, *icc.P3)
    srgb = png.chunk(b"sRGB", b"\0")
    def encode(pixels, before, color_type=png.RGB):
        return png.encode(pixels, 8, color_type, before=before)
    flat = _primaries(icc.D65, (0.3, 0.3), (0.3, 0.3), (0.3, 0.3))
    return [
        whole("gamma.png", encode(shown.map(linear), _gamma(100000)), shown, "png"),
        whole("gamma-grey.png", encode(shades.map(linear), _gamma(100000), png.GREY), shades, "png"),
        whole("gamma-of-srgb.png", encode(shown, _gamma(45455) + _primaries(icc.D65, *icc.SRGB)), shown, "png"),
        whole("gamma-and-primaries.png", encode(shown.map(in_p3), _gamma(45455) + p3), shown, "png"),
        whole("primaries-alone.png", encode(shown, p3), shown, "png"),
        whole("srgb-wins.png", encode(shown, _gamma(100000) + p3 + iccp(icc.rgb(icc.P3)) + srgb), shown, "png"),
        whole("profile-wins.png", encode(shown.map(in_p3), _gamma(100000) + iccp(icc.rgb(icc.P3))), shown, "png"),
        whole("gamma-0.png", encode(shown, _gamma(0)), shown, "png", warnings=IGNORED),
        whole("gamma-short.png", encode(shown, png.chunk(b"gAMA", b"\0\1")), shown, "png", warnings=IGNORED),
        whole("primaries-in-a-line.png", encode(shown, _gamma(45455) + flat), shown, "png", warnings=IGNORED),
    ]


def _coded(primaries, transfer, matrix=0, is_full_range=1):
    return png.chunk(b"cICP", bytes((primaries, transfer, matrix, is_full_range)))


def _rounded(level, depth, is_full_range):
    """The sample (ITU-T H.273, 8.3) of a level, 0 to 1."""
    unit, top = 1 << depth - 8, (1 << depth) - 1
    value = level * top if is_full_range else unit * (219 * level + 16)
    return min(top, max(0, int(value + 0.5)))


def _narrow(depth, channels=3):
    return lambda pixel: [_rounded(v / 255, depth, False) for v in pixel[:channels]]


def _coded_pngs():
    """Colours that only numbers describe."""
    shown = picture.make(96, 72)
    shades = shown.map(picture.grey)
    in_p3, in_bt2020 = shown.map(icc.in_space(icc.P3)), shown.map(icc.in_space(hdr.BT2020))
    p3, srgb_chunk, adobe = _coded(12, 13), png.chunk(b"sRGB", b"\0"), iccp(icc.rgb(icc.ADOBE_RGB, 563 / 256))
    bad_matrix = _coded(12, 13, 1)
    palette = png.chunk(b"PLTE", bytes(range(30)))
    def encode(pixels, before, depth=8):
        return png.encode(pixels, depth, png.RGB, before=before)
    files = {
        "coded-srgb": encode(shown, _coded(1, 13) + adobe),
        "coded-p3": encode(in_p3, p3),
        "coded-p3-16": encode(in_p3, p3, 16),
        "coded-bt2020": encode(in_bt2020, _coded(9, 14)),
        "coded-gamma": encode(shown.map(icc.in_space(icc.SRGB, 2.2)), _coded(1, 4)),
        "coded-wins": encode(in_p3, srgb_chunk + adobe + _gamma(100000) + p3),
        "coded-twice": encode(in_p3, p3 + _coded(1, 13)),
        "coded-as-unknown": encode(in_p3, _coded(2, 2) + iccp(icc.rgb(icc.P3))),
        "coded-narrow": png.encode_samples(shown, _narrow(8), 8, before=_coded(1, 13, 0, 0)),
        "coded-narrow-16": png.encode_samples(shown, _narrow(16), before=_coded(1, 13, 0, 0)),
        "coded-narrow-p3": png.encode_samples(in_p3, _narrow(8), 8, before=_coded(12, 13, 0, 0)),
        "coded-matrix-srgb": encode(shown, bad_matrix + srgb_chunk),
        "coded-matrix-profile": encode(in_p3, bad_matrix + iccp(icc.rgb(icc.P3))),
    }
    grey = png.encode_samples(shades, _narrow(8, 1), 8, png.GREY, before=_coded(1, 13, 0, 0))
    made = [whole(name + ".png", content, shown, "png") for name, content in files.items()]
    made.append(whole("coded-narrow-grey.png", grey, shades, "png"))
    ignored = {
        "coded-short": png.chunk(b"cICP", b"\x0c\x0d\0"), "coded-long": png.chunk(b"cICP", b"\x0c\x0d\0\1\0"),
        "coded-matrix": bad_matrix, "coded-range-2": _coded(12, 13, 0, 2), "coded-behind-palette": palette + p3,
    }
    return made + [whole(name + ".png", encode(shown, before), shown, "png", warnings=IGNORED)
                   for name, before in ignored.items()]


def _light_pngs():
    """High dynamic range, of each colour type and depth."""
    shown, holed = picture.make(96, 72), picture.make(96, 72, has_alpha=True)
    def light(transfer, depth=16, is_full_range=1, channels=3):
        def samples(pixel):
            color = hdr.SAMPLES[transfer](pixel[:3] + (255,))[:3 if channels > 2 else 1]
            alpha = [pixel[3] * ((1 << depth) - 1) // 255] if channels in (2, 4) else []
            return [_rounded(v, depth, is_full_range) for v in color] + alpha
        return samples
    def expected(pixels, peak=1000):
        return pixels.map(lambda p: hdr.shown(hdr.scene(p[:3] + (255,)), peak)[:3] + (p[3],))
    pq, hlg, pq_narrow, hlg_narrow = _coded(9, 16), _coded(9, 18), _coded(9, 16, 0, 0), _coded(9, 18, 0, 0)
    level = png.chunk(b"cLLI", struct.pack(">II", 40_000_000, 0))
    screen = png.chunk(b"mDCV", struct.pack(">8HII", *(16384,) * 8, 40_000_000, 50)) + png.chunk(b"cLLI", bytes(8))
    key = struct.pack(">3H", *light(16)(shown.at(4, 4)))
    shades, (colors, palette) = shown.map(picture.grey), pngs.to_palette(shown, 256)
    index = {color: [number] for number, color in enumerate(palette)}
    stored = bytes(v for color in palette for v in light(16, 8)(color))
    def encode(transfer, before, pixels=shown, color_type=png.RGB, interlace=False, **kind):
        channels = {png.GREY: 1, png.GREY_ALPHA: 2, png.RGB: 3, png.RGBA: 4}[color_type]
        return png.encode_samples(pixels, light(transfer, channels=channels, **kind), kind.get("depth", 16), color_type,
                                  interlace, before)
    clear = shown.map(lambda p: (0, 0, 0, 0) if p == shown.at(4, 4) else p)
    return [
        whole("pq.png", encode(16, pq), expected(shown), "png"),
        whole("pq-interlaced.png", encode(16, pq, interlace=True), expected(shown), "png"),
        whole("pq-peak.png", encode(16, pq + level), expected(shown, 4000), "png"),
        whole("pq-screen.png", encode(16, pq + screen), expected(shown, 4000), "png"),
        whole("pq-narrow.png", encode(16, pq_narrow, is_full_range=0), expected(shown), "png"),
        whole("pq-8.png", encode(16, pq, depth=8), expected(shown), "png"),
        whole("pq-alpha.png", encode(16, pq, holed, png.RGBA), expected(holed), "png", True),
        whole("pq-trns.png", encode(16, pq + png.chunk(b"tRNS", key)), expected(clear), "png", True),
        whole("pq-grey.png", encode(16, pq, shades, png.GREY), expected(shades), "png"),
        whole("pq-grey-alpha.png", encode(16, pq, holed.map(picture.grey), png.GREY_ALPHA),
              expected(holed.map(picture.grey)), "png", True),
        whole("pq-palette.png", png.encode_samples(
            colors, lambda p: index[p], 8, png.PALETTE, before=pq + png.chunk(b"PLTE", stored)), expected(colors), "png"),
        whole("hlg.png", encode(18, hlg), expected(shown), "png"),
        whole("hlg-narrow-8.png", encode(18, hlg_narrow, depth=8, is_full_range=0), expected(shown), "png"),
    ]
