import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite("Every part of a container that may hide a place")
struct PlaceContainerTests {
    private static let secret = Array("TINTYPE-SECRET-PLACE".utf8)
    private static let exif =
        Array("Exif\0\0".utf8)
        + TIFFBuilder.structure([(0x0112, .short(8)), (0x8825, .directory([(27, .bytes(secret))]))])

    /// Returns a JPEG with segments after its start marker.
    private func jpeg(_ segments: [(marker: UInt8, payload: [UInt8])]) -> [UInt8] {
        var builder = JPEGBuilder(24, 16)
        builder.addScan()
        for (marker, payload) in segments.reversed() { builder.insert(marker, payload) }
        builder.add([0xFF, 0xD9])
        return builder.bytes
    }

    private func segment(_ name: String, _ rest: [UInt8] = secret) -> [UInt8] { Array(name.utf8) + rest }

    @Test("Every segment of a JPEG that may contain a place is removed")
    func segments() throws {
        let iptc: [UInt8] = Array("8BIM\u{4}\u{4}\0\0\0\0\0\u{19}".utf8) + [0x1C, 2, 90, 0, 20] + Self.secret + [0]
        let rows: [(payload: [UInt8], marker: UInt8, source: LocationSource)] = [
            (segment("http://ns.adobe.com/xap/1.0/\0", segment("<a b:City='")), 0xE1, .xmp),
            (segment("http://ns.adobe.com/xap/1.0/\0", segment("<a xmpNote:HasExtendedXMP='")), 0xE1, .xmp),
            (segment("http://ns.adobe.com/xap/1.0/\0", Self.secret.flatMap { [$0, 0] }), 0xE1, .xmp),
            (segment("http://ns.adobe.com/xmp/extension/\0"), 0xE1, .xmp),
            (segment("Photoshop 3.0\0", iptc), 0xED, .iptc), (segment("Photoshop 3.0\0"), 0xED, .iptc),
            (segment("Photoshop 3.0\0", segment("8BIM\u{4}\u{22}\0\0\0\0\0\u{14}")), 0xED, .iptc),
            (segment("GoPro\0"), 0xE6, .unknownData), (Self.secret, 0xE1, .unknownData),
            (Self.secret, 0xE0, .unknownData),
            (segment("MPF\0"), 0xE2, .trailingData), (Self.exif, 0xE1, .gps),
        ]
        for (payload, marker, source) in rows {
            let bytes = jpeg([
                (0xE0, segment("JFIF\0", [1, 1, 0, 0, 1, 0, 1, 0, 0])), (marker, payload), (marker, payload),
            ])
            let scrubbed = try LocationScrubber.scrub(bytes)
            #expect(scrubbed.removed == [source])
            #expect(PlaceOracle(scrubbed.bytes).places == [])
            try expectTheSamePicture(scrubbed.bytes, bytes)
        }
    }

    @Test("A name that ends outside its segment is not recognised")
    func shortSegments() throws {
        for name in ["Photoshop 3.0\0", "Exif\0\0", "http://ns.adobe.com/xap/1.0/\0", "MPF\0", "ICC_PROFILE\0"] {
            for marker in [0xE1, 0xE2, 0xED] as [UInt8] {
                var bytes = jpeg([(marker, Array(name.utf8))])
                // The segment is now one byte shorter.
                bytes[5] -= 1
                #expect(try LocationScrubber.scrub(bytes).removed == [.unknownData])
            }
        }
    }

    @Test("Comments, profiles, the numbers of gain maps and Adobe's marker stay")
    func keptSegments() throws {
        let paths = Array("8BIM".utf8) + [7, 0xD0, 1, 0x61, 0, 0, 0, 2, 0x61, 0x62]
        let bytes = jpeg([
            (0xFE, Self.secret), (0xE2, segment("ICC_PROFILE\0\u{1}\u{1}")), (0xEC, segment("Ducky")),
            (0xE2, segment("urn:iso:std:iso:ts:21496:-1\0")), (0xED, segment("Photoshop 3.0\0", paths)),
            (0xE1, segment("http://ns.adobe.com/xap/1.0/\0", segment("<a dc:rights='"))),
        ])
        #expect(try LocationScrubber.scrub(bytes) == ScrubbedImage(format: .jpeg, bytes: bytes, removed: []))
    }

    @Test("Segments between scans, and bytes between segments, are examined too")
    func betweenScans() throws {
        let original = Data(ImageFixture.bytes("progressive-420.jpg"))
        let scan = Data([0xFF, 0xDA])
        let first = try #require(original.range(of: scan)).upperBound
        let second = try #require(original.range(of: scan, in: first..<original.count)).lowerBound
        var between = JPEGBuilder(1, 1)
        let start = between.bytes.count
        between.add(0xE1, Self.exif)
        between.add(0xE5, Self.secret)
        between.add([0, 0xFF, 0] + Self.secret + [0xFF, 0xFF])
        let bytes = Array(original[..<second]) + between.bytes[start...] + Array(original[second...])
        let scrubbed = try LocationScrubber.scrub(bytes)
        #expect(scrubbed.removed == [.gps, .unknownData])
        #expect(PlaceOracle(scrubbed.bytes).places == [])
        try expectTheSamePicture(scrubbed.bytes, bytes)
    }

    // MARK: After the image

    @Test("Bytes after the last segment of a JPEG without an end are removed, whatever precedes them")
    func open() throws {
        var builder = JPEGBuilder(24, 16)
        builder.addScan()
        let scan = builder.bytes
        let (comment, unknown): ([UInt8], [UInt8]) = ([0xFF, 0xFE, 0, 3, 1], [0xFF, 0xE7, 0, 3, 1])
        // The bytes after the scan, the number of them that stay, and the sources that are removed.
        let rows: [(tail: [UInt8], kept: Int, removed: Set<LocationSource>)] = [
            (comment, 5, []), (comment + Self.secret, 5, [.trailingData]), (unknown, 0, [.unknownData]),
            (unknown + Self.secret, 0, [.unknownData, .trailingData]),
            (comment + unknown + Self.secret, 5, [.unknownData, .trailingData]),
            (comment + [0xFF, 0xFF] + unknown, 5, [.unknownData]),
            (comment + [0xFF, 0xFF] + unknown + [0xFF], 5, [.unknownData, .trailingData]),
            (comment + Self.secret + unknown, 5, [.unknownData]), (comment + [0xFF, 0x00, 0xFF], 5, [.trailingData]),
            (comment + Self.secret + comment + Self.secret, 10, [.unknownData, .trailingData]),
        ]
        for (tail, kept, removed) in rows {
            let scrubbed = try LocationScrubber.scrub(scan + tail)
            #expect(scrubbed.removed == removed, "\(tail)")
            #expect(scrubbed.bytes.count == scan.count + kept, "\(tail)")
            #expect(PlaceOracle(scrubbed.bytes).places == [], "\(tail)")
            let again = try LocationScrubber.scrub(scrubbed.bytes)
            #expect(again.bytes == scrubbed.bytes && again.removed == [], "\(tail)")
            #expect(try ImageHeader.read(scrubbed.bytes.span) == ImageHeader.read((scan + tail).span))
        }
    }

    @Test("Restart markers outside a scan are removed, as they would join the scan before them")
    func restarts() throws {
        var builder = JPEGBuilder(24, 16)
        builder.addScan()
        let scan = builder.bytes
        let (unknown, end): ([UInt8], [UInt8]) = ([0xFF, 0xE7, 0, 3, 1], [0xFF, 0xD9])
        for marks in [[0xFF, 0xD0], [0xFF, 0xD3, 1, 2, 3, 0xFF, 0xD4], [0xFF, 0x01]] as [[UInt8]] {
            let scrubbed = try LocationScrubber.scrub(scan + unknown + marks + end)
            #expect(scrubbed.bytes == scan + end, "\(marks)")
            #expect(scrubbed.removed == [.unknownData], "\(marks)")
            // The markers of the scan itself stay.
            let own = try LocationScrubber.scrub(scan + marks + end)
            #expect(own.bytes == scan + marks + end && own.removed == [], "\(marks)")
        }
    }

    @Test("The film of a motion photo is removed, like all other data after the image")
    func trailers() throws {
        let film =
            HEIFBuilder.box("ftyp", Array("mp42".utf8)) + HEIFBuilder.box("moov", HEIFBuilder.box("udta", Self.secret))
        for file in ["size-24x16.jpg", "size-24x16.png", "size-24x16.webp", "size-24x16.gif"] where isReadable(file) {
            let bytes = ImageFixture.bytes(file)
            let scrubbed = try LocationScrubber.scrub(bytes + film)
            #expect(scrubbed.removed == [.trailingData], "\(file)")
            #expect(scrubbed.bytes == bytes, "\(file)")
        }
    }

    /// Returns a JPEG whose index names further images after it, `gap` bytes apart.
    private func indexed(_ others: [[UInt8]], gap: [UInt8] = [], isTrue: Bool = true) -> [UInt8] {
        func file(_ offset: Int) -> [UInt8] {
            var (list, place) = ([UInt8](repeating: 0, count: 16), offset)
            for other in others {
                list +=
                    HEIFBuilder.number(0) + HEIFBuilder.number(other.count) + HEIFBuilder.number(place + gap.count) + [
                        0, 0, 0, 0,
                    ]
                place += gap.count + other.count
            }
            let tiff = TIFFBuilder.structure(
                [(0xB000, .bytes(Array("0100".utf8))), (0xB002, .bytes(list))], isLittleEndian: false)
            return jpeg([(0xE2, segment("MPF\0", tiff)), (0xE1, Self.exif), (0xE7, Self.secret)])
        }
        let length = file(0).count
        // Offsets count from the end of the signature.
        let images = file(isTrue ? length - 10 : length)
        return images + others.flatMap { gap + $0 }
    }

    @Test("Images that an index names keep their offsets, without their own places", arguments: [[], secret])
    func gainMaps(gap: [UInt8]) throws {
        let others = [jpeg([(0xE1, Self.exif), (0xE7, Self.secret)]), jpeg([(0xFE, [1, 2, 3])])]
        let bytes = indexed(others, gap: gap)
        let scrubbed = try LocationScrubber.scrub(bytes + Self.secret)
        #expect(scrubbed.removed == [.gps, .unknownData, .trailingData])
        #expect(scrubbed.bytes.count == bytes.count)
        #expect(PlaceOracle(scrubbed.bytes).places == [])
        #expect(scrubbed.bytes.suffix(others[1].count) == others[1][...])
        let first = bytes.count - others[1].count - gap.count - others[0].count
        #expect(try decode(Array(scrubbed.bytes[first...])).bytes == decode(others[0]).bytes)
        try expectTheSamePicture(scrubbed.bytes, bytes)
    }

    @Test("A false index is removed, with the data after the image")
    func falseIndexes() throws {
        let other = jpeg([(0xE1, Self.exif)])
        for bytes in [indexed([other], isTrue: false), indexed([Array(other.dropLast(30))]), indexed([Self.secret])] {
            let scrubbed = try LocationScrubber.scrub(bytes)
            #expect(PlaceOracle(scrubbed.bytes).places == [])
            #expect(Data(scrubbed.bytes).range(of: Data("MPF".utf8)) == nil)
            try expectTheSamePicture(scrubbed.bytes, bytes)
        }
    }

    // MARK: Chunks

    @Test("Chunks of a PNG that may contain a place are removed, and others stay")
    func chunks() throws {
        let rows: [(type: String, payload: [UInt8], source: LocationSource?)] = [
            ("tEXt", segment("Comment\0"), nil), ("zTXt", segment("Description\0\0"), nil),
            ("iTXt", segment("Title\0\0\0\0\0"), nil), ("tEXt", Array("date:create\0today".utf8), nil),
            ("tEXt", segment("exif:GPSLatitude\0"), .text), ("tEXt", segment("parameters\0a:City='"), .text),
            ("zTXt", segment("Raw profile type APP1\0\0"), .text), ("tEXt", segment("Raw profile type iptc\0"), .text),
            ("iTXt", segment("XML:com.adobe.xmp\0\0\0\0\0<photoshop:City>"), .text),
            ("iTXt", segment("XML:com.adobe.xmp\0\u{1}\0\0\0"), .text), ("iTXt", segment("XML:com.adobe.xmp\0"), .text),
            ("caBX", Self.secret, .unknownData), ("eXIf", Array(Self.exif.dropFirst(6)), .gps),
            ("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 0], nil),
        ]
        for (type, payload, source) in rows {
            var builder = PNGBuilder(8, 8)
            builder.add(type, payload)
            builder.end(pixelBytes: 8 * 25)
            let scrubbed = try LocationScrubber.scrub(builder.bytes)
            #expect(scrubbed.removed == Set([source].compactMap { $0 }), "\(type) \(payload)")
            if source != nil { #expect(PlaceOracle(scrubbed.bytes).places == []) }
            try expectTheSamePicture(scrubbed.bytes, builder.bytes)
        }
        var unknown = PNGBuilder(8, 8)
        unknown.add("EXIF", Self.exif)
        unknown.end(pixelBytes: 8 * 25)
        #expect(throws: ImageError.self) { try LocationScrubber.scrub(unknown.bytes) }
    }

    @Test("The sizes and flags of a WebP are correct after chunks were removed")
    func riff() throws {
        guard isReadable("x.webp") else { return }
        let bytes = ImageFixture.bytes("places/xmp.webp")
        let scrubbed = try LocationScrubber.scrub(bytes).bytes
        #expect(scrubbed.span.uint32(at: 4, isLittleEndian: true) == scrubbed.count - 8)
        #expect(bytes[20] & 4 == 4 && scrubbed[20] & 4 == 0)
        let extra = Array("XYZW".utf8) + [3, 0, 0, 0, 7, 7, 7, 0]
        var longer = scrubbed + extra
        longer.replaceSubrange(4..<8, with: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: (longer.count - 8) >> $0) })
        #expect(
            try LocationScrubber.scrub(longer) == ScrubbedImage(format: .webp, bytes: scrubbed, removed: [.unknownData])
        )
    }

    @Test("Application extensions of a GIF are removed, except for known ones")
    func extensions() throws {
        let bytes = ImageFixture.bytes("size-24x16.gif")
        func with(_ block: [UInt8]) -> [UInt8] { Array(bytes.dropLast()) + block + [0x3B] }
        let unknown = [0x21, 0xFF, 11] + Array("MyProgram01".utf8) + [20] + Self.secret + [0]
        // Without the bytes that lead to its end, the position of the text is unknown.
        let xmp = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [20] + Self.secret + [0]
        #expect(
            try LocationScrubber.scrub(with(unknown))
                == ScrubbedImage(format: .gif, bytes: bytes, removed: [.unknownData]))
        #expect(try LocationScrubber.scrub(with(xmp)) == ScrubbedImage(format: .gif, bytes: bytes, removed: [.xmp]))
        let comment = with([0x21, 0xFE, 20] + Self.secret + [0])
        #expect(try LocationScrubber.scrub(comment) == ScrubbedImage(format: .gif, bytes: comment, removed: []))
        #expect(try LocationScrubber.scrub(Array(bytes.dropLast())).removed == [])
    }
}
