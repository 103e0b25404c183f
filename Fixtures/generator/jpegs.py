"""All kinds of whole JPEGs."""

import subprocess

from generator import exif, picture
from generator.fixture import whole

KINDS = {
    "baseline-420": (), "baseline-422": ("sampling=2x1",), "baseline-444": ("sampling=1x1",),
    "baseline-440": ("sampling=1x2",), "baseline-411": ("sampling=4x1",),
    "restart-markers": ("restart=3",), "noninterleaved": ("noninterleaved",), "arithmetic": ("arithmetic",),
    "progressive-420": ("progressive",), "progressive-444": ("progressive", "sampling=1x1"),
    "rgb": ("rgb",), "cmyk-adobe": ("cmyk",), "ycck-adobe": ("ycck",), "cmyk-plain": ("cmyk", "plain"),
    "progressive-cmyk": ("cmyk", "progressive"),
}


def fixture(name, content, shown, warnings=()):
    return whole(name, content, shown, "jpeg", warnings=warnings)


def fixtures(encoder):
    shown = picture.make(160, 120)
    made = [fixture(kind + ".jpg", encoder.encode(shown, *options), shown) for kind, options in KINDS.items()]
    shades = shown.map(picture.grey)
    made.append(fixture("grey.jpg", encoder.encode(shown, "grey"), shades))
    made.append(fixture("progressive-grey.jpg", encoder.encode(shown, "grey", "progressive"), shades))
    return made + _sizes(encoder, shown) + _orientations(encoder) + _rotations(encoder) + _metadata(encoder)


def _sizes(encoder, shown):
    baseline = encoder.encode(shown)
    frame, table = baseline.index(b"\xff\xc0"), baseline.index(b"\xff\xc4")
    made = [
        fixture("extended-sequential.jpg", baseline[:frame] + b"\xff\xc1" + baseline[frame + 2:], shown),
        # Without its first Huffman table, as in motion JPEG: the standard's own table applies.
        fixture("default-table.jpg", baseline[:table] + b"\xff\xfe" + baseline[table + 2:], shown),
    ]
    odd = picture.make(97, 61)
    for sampling in ("2x2", "4x1", "1x1"):
        made.append(fixture("progressive-dc-scans-%s.jpg" % sampling, encoder.encode(
            odd, "dcscans", "restart=3", "sampling=" + sampling), odd))
    made.append(fixture("progressive-restarts.jpg", encoder.encode(odd, "progressive", "restart=2"), odd))
    made.append(fixture("progressive-bands.jpg", encoder.encode(odd, "bandscans", "restart=5", "quality=97"), odd))
    for width, height in ((1, 1), (97, 61), (640, 480), (1, 200), (200, 1), (24, 16)):
        sized = picture.make(width, height)
        made.append(fixture("size-%dx%d.jpg" % (width, height), encoder.encode(sized), sized))
    return made


def _orientations(encoder):
    upright = picture.make(96, 64)
    made = []
    for orientation in range(1, 9):
        content = encoder.encode(upright.stored_for(orientation))
        for order in (b"II", b"MM"):
            tagged = exif.inserted(content, exif.app1(exif.tiff([(0x0112, exif.SHORT, orientation)], order)))
            made.append(fixture("orientation-%d-%s.jpg" % (orientation, order.decode().lower()), tagged, upright))
    return made


def _rotations(encoder):
    """One picture's coefficients, losslessly turned, each file with the tag that turns it back."""
    upright = picture.make(160, 128)
    plain = encoder.encode(upright)
    turns = {1: [], 2: ["-flip", "horizontal"], 3: ["-rotate", "180"], 4: ["-flip", "vertical"], 5: ["-transpose"],
             6: ["-rotate", "270"], 7: ["-transverse"], 8: ["-rotate", "90"]}
    made = []
    for orientation, turn in turns.items():
        command = ["jpegtran", "-perfect", "-copy", "none", *turn]
        turned = subprocess.run(command, input=plain, check=True, capture_output=True).stdout
        tagged = exif.inserted(turned, exif.app1(exif.tiff([(0x0112, exif.SHORT, orientation)])))
        made.append(fixture("rotation-%d.jpg" % orientation, tagged, upright))
    return made


def _metadata(encoder):
    upright = picture.make(96, 64)
    plain, turned = encoder.encode(upright), encoder.encode(upright.stored_for(6))
    def tagged(content, tiff):
        return exif.inserted(content, exif.app1(tiff))
    xmp = exif.segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + exif.SECRET)
    profile = exif.segment(0xE2, b"ICC_PROFILE\0\1\1" + exif.SECRET)
    note = exif.segment(0xFE, exif.SECRET)
    loop = exif.tiff([(0x0100, exif.LONG, 8)], next_directory=8)
    files = {
        "exif-gps.jpg": exif.inserted(turned, exif.app1(exif.with_gps(6)), xmp, profile, note),
        "exif-long.jpg": tagged(turned, exif.tiff([(0x0112, exif.LONG, 6)], b"MM")),
        "exif-second-segment.jpg": exif.inserted(turned, xmp, exif.app1(exif.tiff([(0x0112, exif.SHORT, 6)]))),
        "exif-value-9.jpg": tagged(plain, exif.tiff([(0x0112, exif.SHORT, 9)])),
        "exif-loop.jpg": tagged(plain, loop),
        "exif-offset-outside.jpg": tagged(plain, b"II*\0\xff\xff\xff\xff"),
        "exif-cut.jpg": tagged(plain, exif.tiff([(0x0112, exif.SHORT, 6)])[:15]),
        "trailing-bytes.jpg": plain + b"more that a camera put behind the picture",
        "bytes-between-segments.jpg": exif.inserted(plain, note + b"\0\0\0"),
    }
    ignored = {"exif-gps.jpg": ("profile_ignored",)}
    return [fixture(name, content, upright, ignored.get(name, ())) for name, content in files.items()]
