"""Broken files, and the code with which they are refused; or the picture that is shown nevertheless."""

import struct
import zlib

from generator import fixture, gif, picture, png
from generator.fixture import refused


def fixtures(whole):
    """Most are created from whole ones, given by name."""
    return _foreign() + _cut(whole) + _jpegs(whole) + _pngs(whole) + _gifs() + _bombs()


def _foreign():
    """Other formats' first bytes under wrong names."""
    beginnings = {
        "text.jpg": (b"This is not a picture, whatever its name says.\n", "text"),
        "page.jpg": (b"<!DOCTYPE html>\n<title>Not found</title>\n", "HTML"),
        "drawing.png": (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>\n', "SVG"),
        "heic.jpg": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        "avif.jpg": (b"\0\0\0\x18ftypavif\0\0\0\0mif1avif", "AVIF"),
        "video.jpg": (b"\0\0\0\x18ftypisom\0\0\2\0isomavc1", "MP4"),
        "tiff.png": (b"II*\0\x08\0\0\0\0\0", "TIFF"),
        "bitmap.gif": (b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0", "BMP"),
        "jpeg-xl.jpg": (b"\xff\x0a\xfa\x7f\x01\x90\x08\x06\x01\x00", "JPEG XL"),
        "jpeg-xl-boxed.jpg": (b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl ", "JPEG XL"),
        "jpeg-2000.jpg": (b"\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 ", "JPEG 2000"),
        "jpeg-2000-stream.jpg": (b"\xff\x4f\xff\x51\0\x2f\0\0", "JPEG 2000"),
        "canon.jpg": (b"II*\0\x10\0\0\0CR\2\0", "a camera's raw format"),
        "canon-3.jpg": (b"\0\0\0\x18ftypcrx \0\0\0\1crx isom", "a camera's raw format"),
        "fuji.jpg": (b"FUJIFILMCCD-RAW 0201", "a camera's raw format"),
        "icon.png": (b"\0\0\1\0\1\0\x10\x10", "ICO"),
        "matroska.gif": (b"\x1aE\xdf\xa3\x9fB\x86\x81", "Matroska"),
        "archive.png": (b"PK\3\4\x14\0\0\0", "ZIP"),
        "document.jpg": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF"),
        "noise.jpg": (bytes((i * 197 + 13) % 256 for i in range(200)), "unknown"),
    }
    made = [refused(name, content, "unsupported_format", says) for name, (content, says) in beginnings.items()]
    return made + [refused("empty.jpg", b"", "empty", "no bytes")]


def _cut(whole):
    names = ("baseline-420.jpg", "progressive-420.jpg", "rgb-8.png", "rgb-8-interlaced.png", "plain.gif", "interlaced.gif")
    made = [refused("truncated-" + n, whole[n][:len(whole[n]) * 2 // 3], "truncated", "ends too early") for n in names]
    made.append(refused("signature-only.jpg", b"\xff\xd8\xff", "truncated"))
    made.append(refused("signature-only.png", png.SIGNATURE, "truncated"))
    made.append(refused("signature-only.gif", b"GIF89a", "truncated"))
    return made


def _patched(content, marker, offset, replacement):
    at = content.index(marker) + offset
    return content[:at] + replacement + content[at + len(replacement):]


def _jpegs(whole):
    content = whole["baseline-420.jpg"]
    frame, scan = b"\xff\xc0", content.index(b"\xff\xda")
    restarts = whole["restart-markers.jpg"]
    damaged = restarts[:len(restarts) * 6 // 10] + b"\xff\xd9"
    return [
        refused("lossless.jpg", _patched(content, frame, 0, b"\xff\xc3"), "unsupported_format", "lossless"),
        refused("hierarchical.jpg", _patched(content, frame, 0, b"\xff\xc5"), "unsupported_format", "hierarchical"),
        refused("12-bit.jpg", _patched(content, frame, 4, b"\x0c"), "unsupported_format", "12 bits"),
        refused("no-height.jpg", _patched(content, frame, 5, b"\0\0"), "corrupt", "160×0"),
        refused("no-frame.jpg", content[:2] + content[scan:], "corrupt", "before the frame header"),
        refused("no-picture.jpg", b"\xff\xd8\xff\xd9", "corrupt", "no picture"),
        refused("damaged.jpg", damaged, "corrupt", "of the picture is missing"),
        refused("scan-of-five.jpg", _patched(content, b"\xff\xda", 4, b"\5"), "corrupt"),
    ]


def _pngs(whole):
    content = whole["rgb-8.png"]
    pixels = content.index(b"IDAT")
    short = zlib.compress(bytes(100))
    head = png.SIGNATURE + png.header(96, 72, 8, png.RGB)
    end = png.chunk(b"IEND", b"")
    return [
        refused("bad-checksum.png", content[:-16] + b"\0\0\0\0" + content[-12:], "corrupt"),
        refused("damaged.png", _patched(content, b"IDAT", 60, bytes(20)), "corrupt"),
        refused("no-width.png", png.SIGNATURE + png.header(0, 72, 8, png.RGB) + content[pixels - 4:], "corrupt", "0×72"),
        refused("bad-depth.png", png.SIGNATURE + png.header(96, 72, 3, png.RGB) + content[pixels - 4:], "corrupt"),
        refused("no-palette.png", png.SIGNATURE + png.header(96, 72, 8, png.PALETTE) + content[pixels - 4:], "corrupt"),
        refused("too-few-rows.png", head + png.chunk(b"IDAT", short) + end, "corrupt"),
        refused("no-pixels.png", head + end, "corrupt", "no pixels"),
        refused("no-header.png", png.SIGNATURE + content[pixels - 4:], "corrupt", "header"),
    ]


def _gifs():
    palette = [(0, 0, 0, 255), (255, 255, 255, 255)]
    screen = gif.screen(8, 8, palette)
    data = gif.lzw([0] * 64, 2)
    black = picture.Picture(8, 8, [(0, 0, 0, 255)] * 64)
    return [
        refused("code-size-9.gif", screen + gif.frame(8, 8, b"\x09" + data[1:]) + gif.TRAILER, "corrupt"),
        fixture.whole("no-palette.gif", gif.screen(8, 8) + gif.frame(8, 8, data) + gif.TRAILER, black, "gif"),
        refused("no-frame.gif", screen + gif.TRAILER, "corrupt", "no picture"),
        refused("no-canvas.gif", gif.screen(0, 8, palette) + gif.frame(8, 8, data) + gif.TRAILER, "corrupt", "0×8"),
        refused("too-few-pixels.gif", screen + gif.frame(8, 8, gif.lzw([0] * 9, 2)) + gif.TRAILER, "corrupt"),
        refused("unknown-block.gif", screen + b"\x99" + gif.frame(8, 8, data) + gif.TRAILER, "corrupt", "unknown block"),
    ]


def _bombs():
    """Small files that claim, or unpack to, far too much."""
    squeezed = zlib.compress(bytes(20_000_000), 9)
    def huge(width, height):
        return png.SIGNATURE + png.header(width, height, 8, png.RGB) + png.chunk(b"IDAT", squeezed) + png.chunk(b"IEND", b"")
    def huge_jpeg(width, height):
        return b"\xff\xd8\xff\xc0" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9) + b"\xff\xda\0\2\xff\xd9"
    palette = [(0, 0, 0, 255), (255, 255, 255, 255)]
    empty = gif.frame(65535, 65535, b"\2\2\x4c\1\0")
    large = gif.frame(7000, 7000, b"\2\2\x4c\1\0")
    return [
        refused("bomb-65500x65500.png", huge(65500, 65500), "too_many_pixels", "65500×65500 pixels are 4290 megapixels"),
        refused("bomb-31-bits.png", huge(2**31 - 1, 2**31 - 1), "too_many_pixels"),
        refused("bomb-32-bits.png", huge(2**32 - 1, 2**32 - 1), "corrupt"),
        refused("bomb-65500x65500.jpg", huge_jpeg(65500, 65500), "too_many_pixels"),
        refused("bomb-65535x65535.gif", gif.screen(65535, 65535, palette) + empty + gif.TRAILER, "too_many_pixels"),
        refused("bomb-frames.gif", gif.screen(7000, 7000, palette) + large * 5 + gif.TRAILER, "too_many_frames", "5 frames"),
        refused("bomb-frame.gif", gif.screen(8, 8, palette) + empty + gif.TRAILER, "too_many_frames"),
        refused("long-side.png", huge(40000, 10), "side_too_long", "30000"),
        refused("long-side.jpg", huge_jpeg(10, 40000), "side_too_long", "30000"),
    ]


def many_scans(encoder):
    return refused("bomb-scans.jpg", encoder.encode(picture.make(48, 32), "manyscans"), "too_many_scans", "100 scans")
