/// A file that is small for the size that it claims, or unpacks to.
struct Bomb: Sendable {
    let name: String
    /// The code of the refusal; nil if the file is rendered.
    let code: String?
    /// The memory that is needed to find out, beyond the usual, in bytes.
    var workingBytes = 0
    let make: @Sendable () -> [UInt8]

    static let all = pngs + jpegs + exifs + gifs + others
    private static let mebi = 1_048_576
}

extension Bomb {
    private static let pngs = [
        Bomb(name: "1.2 GB of pixels", code: "too_many_pixels") { PNGBuilder.black(20_000, 20_000, .rgb) },
        Bomb(name: "1 bit a pixel, 65,000 a side", code: "too_many_pixels") { png(65_000, 65_000, depth: 1, .grey) },
        Bomb(name: "sides of 2^31 - 1", code: "too_many_pixels") { png(2_147_483_647, 2_147_483_647) },
        Bomb(name: "no width", code: "corrupt") { png(0, 10) },
        Bomb(name: "compressed texts of 64 MB", code: nil) {
            png { $0.add("zTXt", Array("Comment\0\0".utf8) + PNGBuilder.zeros(64 * mebi), count: 8) }
        },
        Bomb(name: "a profile of 256 MB", code: nil, workingBytes: 8 * mebi) {
            png { $0.add("iCCP", Array("p\0\0".utf8) + PNGBuilder.zeros(256 * mebi)) }
        },
        Bomb(name: "an international text of 256 MB", code: nil) {
            png { $0.add("iTXt", Array("k\0\u{1}\0\0\0".utf8) + PNGBuilder.zeros(256 * mebi)) }
        },
        Bomb(name: "code points of 16 MB", code: nil) {
            png { $0.add("cICP", [UInt8](repeating: 0, count: 16 * mebi)) }
        },
        Bomb(name: "200,000 texts", code: nil) { png { $0.add("tEXt", Array("k\0v".utf8), count: 200_000) } },
        Bomb(name: "300,000 chunks of no pixels", code: nil) { png { $0.add("IDAT", [], count: 300_000) } },
        Bomb(name: "512 MB behind the pixels", code: nil) {
            var png = PNGBuilder(16, 16)
            png.end(pixelBytes: 512 * mebi)
            return png.bytes
        },
        Bomb(name: "a chunk of 4 GB", code: "truncated") {
            PNGBuilder(16, 16).bytes + [255, 255, 255, 255] + Array("tEXtkk".utf8)
        },
    ]

    private static func png(
        _ width: Int = 16, _ height: Int = 16, depth: UInt8 = 8, _ type: PNGBuilder.ColorType = .rgb,
        before: (inout PNGBuilder) -> Void = { _ in }
    ) -> [UInt8] {
        var png = PNGBuilder(width, height, depth: depth, type)
        before(&png)
        png.end(pixelBytes: 16 * 49)
        return png.bytes
    }

    private static let jpegs = [
        Bomb(name: "1,000 scans of 39 megapixels", code: "too_many_scans") { progressive(6300, 6300, scans: 1000) },
        Bomb(name: "2,000 scans and no DC", code: "too_many_pixels") {
            progressive(16_384, 16_384, scans: 2000, hasDC: false)
        },
        // Each scan gives the same coefficients again: libjpeg warns, and continues.
        Bomb(name: "100 scans of 40 megapixels", code: nil, workingBytes: 6320 * 6320 * 2) {
            progressive(6320, 6320, scans: 99)
        },
        Bomb(name: "progressive, 65,500 a side", code: "too_many_pixels") { progressive(65_500, 65_500, scans: 3) },
        Bomb(name: "65,535 a side and no pixels", code: "corrupt") { JPEGBuilder(65_535, 65_535).file },
        Bomb(name: "a height that comes later", code: "corrupt") {
            JPEGBuilder.grey(64, 0, factors: [0x11]).bytes + [UInt8](repeating: 0, count: 64) + [0xFF, 0xD9]
        },
        Bomb(name: "500 segments of 64 KB", code: nil) {
            jpeg { $0.insert(0xE1, [UInt8](repeating: 0, count: 65_000), count: 500) }
        },
        Bomb(name: "a profile's part 255 of 1", code: nil) {
            jpeg {
                let part = Array("ICC_PROFILE\0".utf8) + [255, 1]
                $0.insert(0xE2, part + [UInt8](repeating: 0, count: 100), count: 5)
            }
        },
        Bomb(name: "16 MB of fill bytes", code: nil) {
            [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 16 * mebi) + jpeg { _ in }[2...]
        },
        Bomb(name: "a zip archive behind the end", code: nil) { jpeg { _ in } + Array("PK\u{3}\u{4}".utf8) },
    ]

    private static func progressive(_ width: Int, _ height: Int, scans: Int, hasDC: Bool = true) -> [UInt8] {
        var jpeg = JPEGBuilder(width, height, .progressive, factors: [0x11])
        if hasDC { jpeg.addDCScan(components: 1) }
        jpeg.addEmptyScans(scans)
        return jpeg.file
    }

    private static func jpeg(_ change: (inout JPEGBuilder) -> Void) -> [UInt8] {
        var jpeg = JPEGBuilder.grey(16, 16)
        change(&jpeg)
        return jpeg.file
    }

    private static let exifs = [
        exif("a directory that is its own next", directory([entry(0x112, 3, 1, 6 << 16)], next: 8)),
        exif(
            "two directories in a ring",
            directory([entry(0x112, 3, 1, 6 << 16)], next: 26) + directory([entry(0x100, 3, 1, 1 << 16)], next: 8)),
        exif(
            "a directory inside itself",
            directory([entry(0x112, 3, 1, 6 << 16), entry(0x8769, 4, 1, 8)], next: 0)),
        exif("65,535 entries", [255, 255] + (0..<100).flatMap { _ in entry(0x112, 3, 1, 6 << 16) }),
        exif(
            "4 G values", directory([entry(0x112, 3, 0xFFFF_FFFF, 8), entry(0x9286, 7, 0xFFFF_FFFF, 8)], next: 0)),
    ]

    private static func exif(_ name: String, _ directory: [UInt8]) -> Bomb {
        Bomb(name: name, code: nil) {
            jpeg { $0.insert(0xE1, Array("Exif\0\0MM\0*".utf8) + bigEndian(8) + directory) }
        }
    }

    private static func directory(_ entries: [[UInt8]], next: Int) -> [UInt8] {
        bigEndian(entries.count)[2...] + entries.joined() + bigEndian(next)
    }

    private static func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
        bigEndian(tag << 16 | type) + bigEndian(count) + bigEndian(value)
    }

    private static let gifs = [
        Bomb(name: "a canvas of 65,535 a side", code: "too_many_pixels") { gif(65_535, 65_535) { $0.addDot() } },
        // The memory is for rows of the canvas, and a rendition.
        Bomb(name: "100,000 frames on 16 megapixels", code: nil, workingBytes: 16 * mebi) {
            gif(4000, 4000) { $0.addDot(count: 100_000) }
        },
        Bomb(name: "a frame of 65,535 a side", code: "too_many_frames") {
            gif(16, 16) { $0.addFrame(65_535, 65_535, pixels: 1) }
        },
        Bomb(name: "a frame far outside", code: nil) {
            gif(16, 16) { $0.addFrame(left: 60_000, top: 60_000, 16, 16, pixels: 256) }
        },
        Bomb(name: "no canvas", code: "corrupt") { gif(0, 0) { $0.addDot() } },
        Bomb(name: "a comment in 1,000,000 parts, and no picture", code: "corrupt") {
            gif(16, 16) {
                $0.add([0x21, 0xFE])
                $0.add([1, 0x61], count: 1_000_000)
                $0.add([0])
            }
        },
        Bomb(name: "100,000 empty parts", code: nil) {
            gif(16, 16) {
                $0.add([0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8))
                $0.add([3, 1, 0, 0], count: 100_000)
                $0.add([0])
                $0.addDot()
            }
        },
        Bomb(name: "a script around a picture", code: nil) {
            Array("GIF89a/*".utf8) + gif(16, 16) { $0.addDot() }[8...] + Array("*/=1;alert(1)".utf8)
        },
    ]

    private static func gif(_ width: Int, _ height: Int, _ fill: (inout GIFBuilder) -> Void) -> [UInt8] {
        var gif = GIFBuilder(width, height)
        fill(&gif)
        return gif.file
    }

    private static let others = [
        Bomb(name: "nothing", code: "empty") { [] },
        Bomb(name: "one byte", code: "truncated") { [0x89] },
        Bomb(name: "1 MB of zeros", code: "unsupported_format") { [UInt8](repeating: 0, count: mebi) },
        Bomb(name: "a page with a script", code: "unsupported_format") {
            Array("<html><script>alert(1)</script></html>".utf8)
        },
        Bomb(name: "a program for ImageMagick", code: "unsupported_format") {
            Array("push graphic-context\nviewbox 0 0 9 9\nfill 'url(https://127.0.0.1/x.jpg\"|ls \"-la)'\n".utf8)
        },
        Bomb(name: "an SVG that names a file", code: "unsupported_format") {
            Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"file:///etc/passwd\"/></svg>".utf8)
        },
    ]
}

extension GIFBuilder {
    fileprivate mutating func addDot(count: Int = 1) { addFrame(1, 1, pixels: 1, count: count) }
}
