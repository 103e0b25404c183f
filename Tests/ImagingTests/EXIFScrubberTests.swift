import TestSupport
import Testing

@testable import Imaging

@Suite("The place is removed from EXIF, and known other fields stay")
struct EXIFScrubberTests {
    private static let gps: TIFFBuilder.Entries = [
        (1, .bytes(Array("N\0".utf8))), (2, .bytes([UInt8](repeating: 48, count: 24))), (27, .bytes(secret)),
    ]
    private static let secret = Array("TINTYPE-SECRET-PLACE\0".utf8)
    private static let date = Array("2024:01:02 03:04:05\0".utf8)
    /// The entries that a camera writes.
    private static let entries: TIFFBuilder.Entries = [
        (0x010F, .bytes(Array("Maker\0".utf8))), (0x0112, .short(6)), (0x8298, .bytes(Array("Somebody\0".utf8))),
        (
            0x8769,
            .directory([(0x9003, .bytes(date)), (0x927C, .bytes(secret)), (0xA005, .directory([(1, .long(7))]))])
        ),
        (0x8825, .directory(gps)), (0xC000, .bytes(secret)),
    ]

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let text = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: text) }
    }

    @Test("GPS, the maker's note and unknown tags are removed, in both byte orders", arguments: [true, false])
    func tags(isLittleEndian: Bool) {
        let tiff = TIFFBuilder.structure(Self.entries, isLittleEndian: isLittleEndian)
        #expect(Set(PlaceOracle(tiff).places) == ["TINTYPE-SECRET-PLACE", "GPS", "a maker's note"])
        let scrubbed = EXIFScrubber.scrub(tiff)
        #expect(scrubbed.found == [.gps, .makerNote, .unknownData])
        #expect(scrubbed.tiff.count == tiff.count)
        #expect(PlaceOracle(scrubbed.tiff).places == [])
        for text in ["Maker", "Somebody", "2024:01:02 03:04:05"] { #expect(contains(scrubbed.tiff, text), "\(text)") }
        #expect(EXIF.orientation(scrubbed.tiff.span) == .right)
        #expect(EXIFScrubber.scrub(scrubbed.tiff) == (scrubbed.tiff, []))
    }

    @Test("Only bytes without a reference become zero")
    func leftovers() {
        let plain = TIFFBuilder.structure([(0x010F, .bytes(Array("Maker\0".utf8)))])
        #expect(EXIFScrubber.scrub(plain) == (plain, []))
        let (scrubbed, found) = EXIFScrubber.scrub(plain + Self.secret)
        #expect(found == [.unknownData])
        #expect(scrubbed == plain + [UInt8](repeating: 0, count: Self.secret.count))
    }

    @Test("A thumbnail stays without its own metadata, and is removed if it is not a whole JPEG")
    func thumbnails() {
        let places = ImageFixture.bytes("places/gps-ii.jpg")
        let open = Array(places.dropLast(2))
        // A segment that is removed, and unreferenced bytes, the first of which would be a marker after a fill byte.
        let unknown = [0xFF, 0xED, 0, 4, 1, 2, 0xD8] + Self.secret
        for (thumbnail, isKept) in [
            (places, true), (Array(places.dropFirst(2)), false), (Self.secret, false), (open, false),
            (open + unknown, false), (open + unknown + [0xFF, 0xD9], true),
        ] {
            let first: TIFFBuilder.Entries = [(0x0112, .short(3))]
            let size = TIFFBuilder.structure(first, then: [(0x0201, .long(0)), (0x0202, .long(0))]).count
            let tiff =
                TIFFBuilder.structure(
                    first, then: [(0x0201, .long(size)), (0x0202, .long(thumbnail.count))]) + thumbnail
            let scrubbed = EXIFScrubber.scrub(tiff).tiff
            #expect(PlaceOracle(scrubbed).places == [])
            #expect(EXIF.orientation(scrubbed.span) == .down)
            #expect(scrubbed[size...].starts(with: [0xFF, 0xD8]) == isKept)
            #expect(EXIFScrubber.scrub(scrubbed) == (scrubbed, []))
            if isKept { #expect((try? decode(Array(scrubbed[size...])).bytes) == (try? decode(places).bytes)) }
        }
    }

    @Test("A malformed structure keeps its orientation alone")
    func damaged() {
        let good = TIFFBuilder.structure(Self.entries)
        var overlapping = good
        // EXIF's directory is the first directory itself.
        overlapping.replaceSubrange(10 + 3 * 12 + 8..<10 + 3 * 12 + 12, with: [8, 0, 0, 0])
        var outside = good
        outside[9] = 40
        for (damaged, orientation) in [
            (overlapping, .right), (outside, .right), (Self.secret, nil), (Array(good.prefix(50)), .right),
            (Array(good.prefix(20)), nil), ([], nil), ([0x49], nil),
        ] as [([UInt8], Orientation?)] {
            let (scrubbed, found) = EXIFScrubber.scrub(damaged)
            #expect(scrubbed.count == damaged.count)
            #expect(found == (damaged.isEmpty ? [] : [.damagedEXIF]))
            #expect(EXIF.orientation(scrubbed.span) == orientation)
            #expect(!contains(scrubbed, "TINTYPE") && !contains(scrubbed, "Maker"))
            #expect(EXIFScrubber.scrub(scrubbed) == (scrubbed, []))
        }
    }

    @Test("Structures with any change keep their orientation and length, and have no place")
    func mutations() {
        var random = SeededGenerator(seed: 0x7E57_0000_0020)
        for isLittleEndian in [true, false] {
            let tiff = TIFFBuilder.structure(
                Self.entries, then: [(0x0201, .long(300)), (0x0202, .long(20))], isLittleEndian: isLittleEndian)
            for count in 0...tiff.count { check(Array(tiff.prefix(count))) }
            for _ in 0..<1000 {
                var changed = tiff
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                check(changed)
            }
        }
    }

    private func check(_ tiff: [UInt8]) {
        let scrubbed = EXIFScrubber.scrub(tiff)
        #expect(scrubbed.tiff.count == tiff.count)
        #expect(EXIF.orientation(scrubbed.tiff.span) == EXIF.orientation(tiff.span), "\(tiff)")
        #expect(EXIFScrubber.scrub(scrubbed.tiff) == (scrubbed.tiff, []), "\(tiff)")
        // A changed tag or offset may turn any bytes into a field that stays, but not into a place.
        let places = PlaceOracle(scrubbed.tiff).places.filter { $0 != "TINTYPE-SECRET-PLACE" }
        #expect(places == [], "\(tiff)")
    }
}
