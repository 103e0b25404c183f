"""All kinds of whole GIFs."""

from generator import exif, gif, picture
from generator.fixture import whole
from generator.pngs import to_palette


def _data(shown, palette, interlace=False):
    return gif.lzw(gif.indices(shown, palette, interlace), max(2, (len(palette) - 1).bit_length()))


def fixtures():
    shown, palette = to_palette(picture.make(96, 72), 256)
    holed, holed_palette = to_palette(picture.make(96, 72, has_alpha=True), 256)
    clear = gif.control(transparent=holed_palette.index((0, 0, 0, 0)))
    screen, holed_screen = gif.screen(96, 72, palette), gif.screen(96, 72, holed_palette)
    plain = gif.frame(96, 72, _data(shown, palette))
    made = []

    def add(name, content, expected, alpha=False, frames=1):
        made.append(whole(name + ".gif", content + gif.TRAILER, expected, "gif", alpha, frames))

    add("plain", screen + plain, shown)
    add("plain-87a", b"GIF87a" + (screen + plain)[6:], shown)
    add("interlaced", screen + gif.frame(96, 72, _data(shown, palette, True), interlace=True), shown)
    add("transparent", holed_screen + clear + gif.frame(96, 72, _data(holed, holed_palette)), holed, True)
    add("transparent-interlaced", holed_screen + clear
        + gif.frame(96, 72, _data(holed, holed_palette, True), interlace=True), holed, True)
    add("local-palette", gif.screen(96, 72) + gif.frame(96, 72, _data(shown, palette), palette=palette), shown)
    add("comment", screen + gif.comment(exif.SECRET) + plain, shown)
    add("animated", screen + gif.control(delay=10) + plain + (gif.control(delay=10)
        + gif.frame(8, 8, gif.lzw([0] * 64), 4, 4)) * 2, shown, frames=3)
    _add_canvases(add, shown, palette)
    _add_disposals(add)
    small, small_palette = to_palette(picture.make(24, 16), 64)
    add("size-24x16", gif.screen(24, 16, small_palette) + gif.frame(24, 16, _data(small, small_palette)), small)
    large, large_palette = to_palette(picture.make(403, 301, has_alpha=True), 256)
    add("large-odd", gif.screen(403, 301, large_palette)
        + gif.control(transparent=large_palette.index((0, 0, 0, 0)))
        + gif.frame(403, 301, _data(large, large_palette)), large, True)
    dot, dot_palette = to_palette(picture.make(1, 1), 2)
    add("size-1x1", gif.screen(1, 1, dot_palette) + gif.frame(1, 1, _data(dot, dot_palette)), dot)
    made.append(whole("no-trailer.gif", screen + plain, shown, "gif"))
    return made


def _add_disposals(add):
    """White; a red square that disappears, a blue one that leaves a hole, a half green one; and a frame without pixels."""
    palette = [(0, 0, 0, 255), (255, 255, 255, 255), (255, 0, 0, 255), (0, 0, 255, 255), (0, 255, 0, 255)]
    def block(index, left, **options):
        return gif.control(**options) + gif.frame(16, 16, gif.lzw([index] * 256, 3), left, 0)
    half = gif.frame(16, 16, gif.lzw(([0] * 8 + [4] * 8) * 16, 3), 32, 0)
    white = picture.Picture(48, 32, [(255, 255, 255, 255)] * (48 * 32))
    add("disposal", gif.screen(48, 32, palette) + gif.loops(4)
        + gif.control(delay=5) + gif.frame(48, 32, gif.lzw([1] * (48 * 32), 3))
        + block(2, 0, delay=20, disposal=3) + block(3, 16, disposal=2) + gif.control(0, 7) + half
        + gif.control(delay=3) + gif.frame(0, 0, gif.lzw([], 3)), white, frames=5)


def _add_canvases(add, shown, palette):
    """Frames that differ from the area of their canvas."""
    data, interlaced = _data(shown, palette), _data(shown, palette, True)
    for name, width, height, left, top in (
        ("frame-inside", 128, 96, 24, 20), ("frame-hangs-over", 96, 72, 70, 53), ("frame-outside", 40, 30, 50, 40)):
        expected = shown.on_canvas(width, height, left, top)
        add(name, gif.screen(width, height, palette) + gif.frame(96, 72, data, left, top), expected, True)
        add(name + "-interlaced", gif.screen(width, height, palette)
            + gif.frame(96, 72, interlaced, left, top, interlace=True), expected, True)
    add("frame-larger", gif.screen(90, 68, palette) + gif.frame(96, 72, data), shown.on_canvas(90, 68, 0, 0))
