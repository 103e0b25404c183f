import Testing

@testable import Imaging

@Suite("The missing part of a picture decides, not whether its file has an end")
struct MissingPartTests {
    /// A file, the part of it that remains, and the outcome.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: String
        let keep: @Sendable ([UInt8]) -> [UInt8]
        /// The expected warnings; nil if the file is refused.
        let warnings: [ImageWarning]?

        init(
            _ file: String, _ what: String, _ warnings: [ImageWarning]?, keep: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) {
            testDescription = "\(file), \(what)"
            (self.file, self.keep, self.warnings) = (file, keep, warnings)
        }

        /// Creates a row for a file without its last bytes.
        init(_ file: String, without count: Int, _ warnings: [ImageWarning]?) {
            self.init(file, "without \(count) bytes", warnings) { Array($0.dropLast(count)) }
        }
    }

    private static let pieces = [
        // Without the end marker: images in one scan, in several, and with all kinds of colours.
        Row("baseline-420.jpg", without: 2, []), Row("baseline-420.jpg", without: 1, []),
        Row("restart-markers.jpg", without: 2, []), Row("noninterleaved.jpg", without: 2, []),
        Row("progressive-420.jpg", without: 2, []), Row("rgb.jpg", without: 2, []),
        Row("cmyk-adobe.jpg", without: 2, []),
        Row("progressive-cmyk.jpg", without: 2, []), Row("photo.jpg", without: 2, []),
        Row("photo.jpg", without: 300, [.truncated]), Row("photo.jpg", without: 40_000, nil),
        Row("baseline-420.jpg", without: 1000, nil),
        // Arithmetic coding may omit zeros, so the missing part is unknown.
        Row("arithmetic.jpg", without: 2, nil),
        Row("noninterleaved.jpg", "without its last scan", nil) { Array($0[..<$0.lastScan]) },
        Row("progressive-420.jpg", "without its last scan, of last bits", [.truncated]) { Array($0[..<$0.lastScan]) },
        Row("progressive-420.jpg", "cut before its last scan", [.truncated]) { Array($0[..<($0.lastScan - 9)]) },
        Row("progressive-420.jpg", "cut in its last scan", [.truncated]) { Array($0[..<($0.lastScan + 100)]) },
        Row("progressive-420.jpg", without: 1100, nil),
        // Without the end chunk, without the checksum before it, which alone confirms the pixels, and without rows.
        Row("rgb-8.png", without: 12, []), Row("rgb-8.png", without: 1, []),
        Row("rgb-8.png", without: 16, [.truncated]),
        Row("palette-8.png", without: 12, []), Row("rgba-16.png", without: 12, []),
        Row("rgb-8-interlaced.png", without: 12, []), Row("grey-1.png", without: 12, []),
        Row("rgb-8.png", without: 12 + 8 + 60, [.truncated]), Row("rgba-8.png", without: 12 + 8 + 60, [.truncated]),
        Row("rgb-16.png", without: 12 + 8 + 150, [.truncated]), Row("rgb-8.png", without: 12 + 8 + 500, nil),
        Row("grey-8.png", without: 12 + 8 + 300, nil), Row("rgb-8-interlaced.png", without: 200, nil),
        // Without the trailer, the empty block before it, the end code, and rows.
        Row("plain.gif", without: 1, []), Row("plain.gif", without: 2, []), Row("interlaced.gif", without: 2, []),
        Row("transparent.gif", without: 2, []), Row("animated.gif", without: 2, []),
        Row("plain.gif", without: 60, [.truncated]), Row("interlaced.gif", without: 30, [.truncated]),
        Row("large-odd.gif", without: 250, [.truncated]), Row("large-odd.gif", without: 600, nil),
        Row("plain.gif", without: 250, nil), Row("interlaced.gif", without: 250, nil),
        // Cut in the middle of a later frame, and before it.
        Row("animated.gif", without: 6, [.truncated]), Row("animated.gif", without: 30, []),
    ]

    @Test(arguments: pieces)
    func verdict(_ row: Row) throws {
        let whole = ImageFixture.bytes(row.file)
        let kept = row.keep(whole)
        #expect(kept.count < whole.count)
        let recipes = [try Recipe(parsing: "half=80,q95"), try Recipe(parsing: "tile=40x30,cover,alpha")]
        let expected = try Renderer().render(whole.span, recipes: recipes)
        do throws(ImageError) {
            let rendered = try Renderer().render(kept.span, recipes: recipes)
            #expect(rendered.warnings == row.warnings)
            if rendered.warnings.isEmpty { #expect(rendered.renditions == expected.renditions) }
        } catch {
            #expect(row.warnings == nil && error.code == .truncated, "\(error)")
        }
    }

    @Test("A JPEG with the same missing part looks the same with and without an end marker; only the warnings differ")
    func endMarker() throws {
        let recipes = [try Recipe(parsing: "whole=800,q95")]
        for missing in [50, 300, 1000, 3000] {
            let cut = Array(ImageFixture.bytes("photo.jpg").dropLast(missing))
            let open = try Renderer().render(cut.span, recipes: recipes)
            let closed = try Renderer().render((cut + [0xFF, 0xD9]).span, recipes: recipes)
            #expect(open.renditions == closed.renditions)
            #expect(open.warnings == [.truncated] && closed.warnings == [.damaged])
        }
    }

    @Test(
        "A small missing part is grey, or transparent if the picture has alpha",
        arguments: ["rgb-8.png", "rgba-8.png"])
    func filling(file: String) throws {
        let cut = Array(ImageFixture.bytes(file).dropLast(12 + 8 + 100))
        let rendered = try Renderer().render(cut.span, recipes: [try Recipe(parsing: "exact=2000,q100,alpha")])
        let image = try decode(try #require(rendered.renditions.first).bytes)
        let last = image.bytes.suffix(image.channels)
        #expect(file == "rgba-8.png" ? last.last == 0 : last.allSatisfy { (122...134).contains($0) })
    }
}

extension [UInt8] {
    /// The offset of the last start of a scan.
    fileprivate var lastScan: Int {
        indices.dropLast().last { self[$0] == 0xFF && self[$0 + 1] == 0xDA } ?? 0
    }
}
