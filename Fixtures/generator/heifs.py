"""All kinds of HEICs and AVIFs: whole ones, and refused ones."""

import struct

from generator import exif, hdr, heif, icc, picture, scene
from generator.fixture import Fixture, refused, whole

# The shares of red and blue in luma, by the matrix's number (ITU-T H.273, table 4).
BT601 = (0.299, 0.114)
LUMA = {0: (0, 0), 1: (0.2126, 0.0722), 6: BT601, 9: (0.2627, 0.0593)}


def _with(item, *properties):
    return heif.Item(item.kind, item.properties + list(properties), item.data, item.references, item.flags)


def _alpha_of(shown, to, **options):
    """The picture's alpha as an auxiliary item of another one."""
    alpha = heif.encode(shown.map(lambda p: (p[3], p[3], p[3], 255)), **options)
    alpha.references.append((b"auxl", [to]))
    return _with(alpha, heif.ALPHA)


def _tiled(shown, columns, rows, tile):
    """A grid of square tiles; the last ones extend beyond the edge."""
    items = []
    for row in range(rows):
        for column in range(columns):
            items.append(heif.encode(shown.on_canvas(tile, tile, -column * tile, -row * tile).map(
                lambda p: p if p[3] else (128, 128, 128, 255))))
    head = heif.Item(b"grid", [heif.size(shown.width, shown.height)], heif.grid(columns, rows, shown.width, shown.height),
                     [(b"dimg", list(range(2, 2 + len(items))))])
    return [head] + items


def fixtures():
    shown, holed = picture.make(96, 72), picture.make(96, 72, has_alpha=True)
    plain, avif = heif.encode(shown), heif.encode(shown, avif=True)
    made = []

    def add(name, content, expected, alpha=False, kind="heic"):
        made.append(whole("%s.%s" % (name, kind), content, expected, kind, alpha))

    add("plain", heif.file([plain]), shown)
    add("plain", heif.file([avif], brand=b"avif"), shown, kind="avif")
    add("depth-10", heif.file([heif.encode(shown, "-b", "10", depth=16)]), shown)
    add("full-chroma", heif.file([heif.encode(shown, "-p", "chroma=444")]), shown)
    add("alpha", heif.file([plain, _alpha_of(holed, 1)]), holed, True)
    add("alpha", heif.file([avif, _alpha_of(holed, 1, avif=True)], brand=b"avif"), holed, True, "avif")
    add("grid", heif.file(_tiled(picture.make(160, 120), 3, 2, 64)), picture.make(160, 120))
    wide = heif.encode(shown.map(icc.in_space(icc.P3)))
    add("profile-p3", heif.file([_with(wide, heif.box(b"colr", b"prof" + icc.rgb(icc.P3)))]), shown)
    grey = shown.map(picture.grey)
    add("grey", heif.file([heif.encode(grey)]), grey)
    for width, height in ((97, 61), (32, 24), (640, 480)):
        sized = picture.make(width, height)
        add("size-%dx%d" % (width, height), heif.file([heif.encode(sized)]), sized)
    sized = picture.make(32, 24)
    add("size-32x24", heif.file([heif.encode(sized, avif=True)], brand=b"avif"), sized, kind="avif")
    wide = picture.Picture(12000, 64, [(200, 10, 10, 255)] * (12000 * 64))
    add("size-12000x64", heif.file([heif.encode(wide)]), wide)
    _add_turned(add, shown)
    _add_thumbnails(add)
    _add_kinds(add, shown, holed)
    _add_colors(add, shown)
    _add_light(add, shown)
    return made


def _file(items, kind):
    return heif.file(items, brand=kind.encode())


def _add_kinds(add, shown, holed):
    """More than 8 bits, other chroma, a narrow range; and alpha of a grid's tiles."""
    grey = shown.map(picture.grey)
    turns = [heif.rotation(1), heif.mirror(0)]
    for chroma in ("422", "444"):
        add("depth-10-" + chroma, heif.file([heif.encode(shown, "-b", "10", "-p", "chroma=" + chroma, depth=16)]), shown)
        add("depth-10-" + chroma, _file([heif.encode_av1(shown, 10, chroma)], "avif"), shown, kind="avif")
    add("depth-12", _file([heif.encode_av1(shown, 12, "420")], "avif"), shown, kind="avif")
    stored = shown.stored_for(5)
    add("depth-10-mirrored", heif.file([_with(heif.encode(stored, "-b", "10", depth=16), *turns)]), shown)
    add("depth-10-mirrored", _file([_with(heif.encode_av1(stored, 10, "420"), *turns)], "avif"), shown, kind="avif")
    narrow = heif.encode_hevc(shown, 8, BT601, False)
    add("narrow-range", heif.file([_with(narrow, heif.color(1, 13, 6, False))]), shown)
    for name, pixels, chroma in (("narrow-range", shown, "420"), ("narrow-grey", grey, "400")):
        add(name, _file([heif.encode_av1(pixels, 8, chroma, "-r", "limited")], "avif"), pixels, kind="avif")
    large = picture.make(160, 120, has_alpha=True)
    head, *tiles = _tiled(large, 3, 2, 64)
    items = [head] + tiles
    for number, tile in enumerate(list(tiles), 2):
        column, row = (number - 2) % 3, (number - 2) // 3
        part = large.on_canvas(64, 64, -column * 64, -row * 64)
        items.append(_alpha_of(part, number))
    add("grid-alpha", heif.file(items), large, True)


def _add_colors(add, shown):
    """Colours that only numbers describe."""
    for name, primaries, transfer, matrix, is_full_range, pixels in (
            ("coded-p3", 12, 13, 6, True, shown.map(icc.in_space(icc.P3))),
            ("coded-bt2020", 9, 14, 9, False, shown.map(icc.in_space(hdr.BT2020))),
            ("coded-bt709", 1, 1, 1, False, shown), ("coded-rgb", 1, 13, 0, True, shown),
            ("coded-gamma", 1, 4, 6, True, shown.map(icc.in_space(icc.SRGB, 2.2)))):
        item = heif.encode_hevc(pixels, 8, LUMA[matrix], is_full_range)
        add(name, heif.file([_with(item, heif.color(primaries, transfer, matrix, is_full_range))]), shown)
        item = heif.encode_av1(pixels, 8, "444", *_av1_numbers(primaries, transfer, matrix, is_full_range))
        add(name, _file([item], "avif"), shown, kind="avif")


def _av1_numbers(primaries, transfer, matrix, is_full_range):
    """For avifenc."""
    return ["--cicp", "%d/%d/%d" % (primaries, transfer, matrix), "-r", "full" if is_full_range else "limited"]


def _add_light(add, shown):
    """High dynamic range."""
    def rounded(transfer):
        return lambda pixel: [int(min(1, max(0, v)) * 65535 + 0.5) for v in hdr.SAMPLES[transfer](pixel)]

    expected = {peak: shown.map(lambda p: hdr.shown(hdr.scene(p), peak)) for peak in (1000, 1015)}
    for kind in ("heic", "avif"):
        for name, transfer in (("pq", 16), ("hlg", 18)):
            encoded = rounded(transfer)
            item = (heif.encode_av1(shown, 10, "444", *_av1_numbers(9, transfer, 9, False), samples=encoded)
                    if kind == "avif" else
                    _with(heif.encode_hevc(shown, 10, LUMA[9], False, lambda p: [v / 65535 for v in encoded(p)]),
                          heif.color(9, transfer, 9, False)))
            add(name, _file([item], kind), expected[1000], kind=kind)
            if name == "pq":
                add("pq-peak", _file([_with(item, heif.light_level(1015))], kind), expected[1015], kind=kind)


def _add_turned(add, shown):
    """Rotations are anticlockwise; an EXIF orientation beside them is ignored."""
    turns = {"rotated-90": (8, [heif.rotation(1)]), "rotated-180": (3, [heif.rotation(2)]),
             "rotated-270": (6, [heif.rotation(3)]), "mirrored": (2, [heif.mirror(1)]),
             "flipped": (4, [heif.mirror(0)]), "rotated-mirrored": (5, [heif.rotation(1), heif.mirror(0)])}
    for name, (orientation, properties) in turns.items():
        add(name, heif.file([_with(heif.encode(shown.stored_for(orientation)), *properties)]), shown)
    note = heif.Item(b"Exif", [], struct.pack(">I", 0) + exif.with_gps(6), [(b"cdsc", [1])], 1)
    turned = _with(heif.encode(shown.stored_for(8)), heif.rotation(1))
    add("exif-gps", heif.file([turned, note]), shown)
    framed = shown.on_canvas(128, 96, 16, 12).map(lambda p: p if p[3] else (0, 0, 0, 255))
    add("aperture", heif.file([_with(heif.encode(framed), heif.aperture(96, 72))]), shown)
    # An odd size, from an odd column and row on; with edges that halve a row; and cropped after it was turned.
    odd = picture.make(95, 71)
    framed = odd.on_canvas(128, 96, 17, 13).map(lambda p: p if p[3] else (0, 0, 0, 255))
    add("aperture-odd", heif.file([_with(heif.encode(framed), heif.aperture(95, 71, -1, -1))]), odd)
    framed = shown.on_canvas(128, 96, 16, 11).map(lambda p: p if p[3] else (0, 0, 0, 255))
    add("aperture-half", heif.file([_with(heif.encode(framed), heif.aperture(96, 72, 0, 1))]), shown)
    framed = shown.stored_for(8).on_canvas(96, 128, 4, 20).map(lambda p: p if p[3] else (0, 0, 0, 255))
    cut = _with(heif.encode(framed), heif.rotation(1), heif.aperture(96, 72, 8, -16))
    add("aperture-turned", heif.file([cut]), shown)


def _add_thumbnails(add):
    """The small copy has another colour, so that a test can tell which one was shown."""
    for name, width, height in (("thumbnail", 320, 240), ("thumbnail-320", 640, 480)):
        large = picture.make(width, height)
        small = heif.encode(picture.make(width // 2, height // 2).map(picture.grey), "-p", "chroma=420")
        small.references.append((b"thmb", [1]))
        add(name, heif.file([heif.encode(large), small]), large)
    # As some cameras write it: coded as whole blocks, and declared smaller.
    padded = heif.encode(picture.make(320, 240).map(picture.grey).extended(320, 256), "-b", "10", "-p", "chroma=422",
                         depth=16)
    padded.properties = [one for one in padded.properties if one[4:8] != b"ispe"] + [heif.size(320, 240)]
    padded.references.append((b"thmb", [1]))
    add("thumbnail-of-two-sizes", heif.file([heif.encode(large), padded]), large)


def photo():
    """A photo-like picture with a small copy: not in the table, because its corners are not plain."""
    view = scene.make(480, 360)

    def mean(x, y):
        four = [view.at(2 * x + dx, 2 * y + dy) for dy in (0, 1) for dx in (0, 1)]
        return tuple((sum(channel) + 2) // 4 for channel in zip(*four))
    copy = heif.encode(picture.Picture(240, 180, [mean(x, y) for y in range(180) for x in range(240)]), "-q", "70")
    copy.references.append((b"thmb", [1]))
    return Fixture("photo.heic", heif.file([heif.encode(view, "-q", "70"), copy]), None)


def large():
    """Pictures of 50 megapixels from one tile: for tests of memory, and not in the table."""
    tile = picture.Picture(512, 512, [(200, 10, 10, 255)] * (512 * 512))
    head = heif.Item(b"grid", [heif.size(8192, 6144)], heif.grid(16, 12, 8192, 6144), [(b"dimg", [2] * 192)])
    deep = picture.Picture(2000, 1500, [(200, 10, 10, 255)] * (2000 * 1500))
    whole = heif.encode_av1(deep, 10, "444")
    return [Fixture("large-deep.avif", heif.file([whole], brand=b"avif"), None)] + [
        Fixture("large." + kind, heif.file([head, heif.encode(tile, avif=kind == "avif")], brand=kind.encode()), None)
        for kind in ("heic", "avif")]


def broken(whole_files):
    shown = picture.make(96, 72)
    plain = heif.encode(shown)
    made = [refused("truncated-" + name, whole_files[name][:len(whole_files[name]) * 2 // 3], "truncated", "ends too early")
            for name in ("plain.heic", "plain.avif", "grid.heic")]

    def add(name, content, code, says="", kind="heic"):
        made.append(refused("%s.%s" % (name, kind), content, code, says))

    def sized(*properties, kind=b"hvc1"):
        kept = [one for one in plain.properties if one[4:8] != b"ispe"]
        return heif.Item(kind, kept + list(properties), plain.data)

    whole_file = heif.file([plain])
    add("no-meta", whole_file[:24] + heif.box(b"mdat", b"nothing"), "unsupported_format", "without a still picture")
    add("no-size", heif.file([sized()]), "corrupt", "without a size")
    add("no-primary", heif.file([plain], primary=9), "corrupt")
    add("other-size", heif.file([sized(heif.size(64, 64))]), "corrupt")
    add("long-box", whole_file.replace(b"\0\0\0\x14ispe", b"\0\0\x14\0ispe"), "corrupt", "longer than its container")
    add("short-box", whole_file.replace(b"\0\0\0\x14ispe", b"\0\0\0\x04ispe"), "corrupt", "4 bytes")
    add("damaged", heif.file([heif.Item(plain.kind, plain.properties, bytes(len(plain.data)))]), "corrupt")
    add("bomb-size", heif.file([sized(heif.size(65500, 65500))]), "too_many_pixels", "65500×65500")
    add("bomb-32-bits", heif.file([sized(heif.size(2**32 - 1, 2**32 - 1))]), "corrupt")
    tiles = heif.Item(b"grid", [heif.size(9000, 9000)], heif.grid(3, 3, 9000, 9000), [(b"dimg", [2] * 9)])
    add("bomb-tiles", heif.file([tiles, sized(heif.size(9000, 9000))]), "corrupt", "do not fill")
    tile = heif.Item(b"grid", [heif.size(96, 72)], heif.grid(1, 1, 96, 72), [(b"dimg", [2])])
    add("bomb-tile", heif.file([tile, sized(heif.size(20000, 20000))]), "too_many_pixels", "its tiles have 400 megapixels")
    data = plain.data + plain.data
    add("two-pictures", heif.file([heif.Item(plain.kind, plain.properties, data)]), "corrupt", "contradicts its properties")
    for kind in ("heic", "avif"):
        large = picture.Picture(1024, 768, [(200, 10, 10, 255)] * (1024 * 768))
        hidden = heif.encode(large, avif=kind == "avif")
        hidden.properties = [one for one in hidden.properties if one[4:8] != b"ispe"] + [heif.size(96, 72)]
        add("hidden-size", heif.file([hidden], brand=kind.encode()), "corrupt", "contradicts its properties", kind)
    film = heif.encode(shown, avif=True)
    film.data *= 5
    add("five-pictures", heif.file([film], brand=b"avif"), "corrupt", "contradicts its properties", "avif")
    add("overlapping-pieces", heif.file([heif.Item(plain.kind, plain.properties, plain.data)]).replace(
        struct.pack(">HHHI", 1, 0, 1, 0)[:6], struct.pack(">HHH", 1, 0, 2)), "corrupt")
    for kind in ("heic", "avif"):
        empty = heif.file([heif.encode(shown, avif=kind == "avif")], brand=kind.encode()).replace(
            struct.pack(">HHH", 1, 0, 1), struct.pack(">HHH", 1, 0, 0))
        add("no-data", empty, "corrupt", "contradicts its properties", kind)
    lying = heif.Item(b"grid", [heif.size(96, 72)], heif.grid(1, 1, 9600, 7200), [(b"dimg", [2])])
    add("grid-of-two-sizes", heif.file([lying, plain]), "corrupt", "grid of another size")
    add("other-codec", heif.file([heif.Item(b"vvc1", plain.properties, plain.data)]), "unsupported_format", "vvc1")
    nested = heif.Item(b"grid", [heif.size(96, 72)], heif.grid(1, 1, 96, 72), [(b"dimg", [1])])
    add("bomb-grids", heif.file([nested]), "unsupported_format", "pictures in pictures")
    return made
