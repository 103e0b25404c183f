import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite(
    "The place is removed from the boxes of a HEIC or an AVIF, and nothing moves", .enabled(if: isReadable("x.heic")))
struct HEIFScrubberTests {
    private static let secret = Array("TINTYPE-SECRET-PLACE".utf8)
    private static let tiff = TIFFBuilder.structure([(0x0112, .short(8)), (0x8825, .directory([(27, .bytes(secret))]))])
    private static let plain = ImageFixture.bytes("size-32x24.heic")

    /// Returns a file of a coded picture that is never decoded, and other items.
    private func file(_ items: [HEIFBuilder.Item], boxes: [[UInt8]] = [], tables: [[UInt8]] = []) -> [UInt8] {
        let picture = HEIFBuilder.Item(type: "hvc1", properties: [HEIFBuilder.size(8, 8)], data: [1, 2, 3, 4])
        return HEIFBuilder(items: [picture] + items, tables: tables, boxes: boxes).bytes
    }

    private func scrubbed(_ bytes: [UInt8]) throws -> ScrubbedImage {
        let scrubbed = try LocationScrubber.scrub(bytes)
        #expect(PlaceOracle(scrubbed.bytes).places == [])
        #expect(try LocationScrubber.scrub(scrubbed.bytes).removed == [])
        return scrubbed
    }

    @Test("EXIF items are scrubbed wherever their structure begins and their data are stored", arguments: [0, 1])
    func exif(method: Int) throws {
        let prefix = Array("Exif\0\0".utf8)
        let rows: [(data: [UInt8], removed: Set<LocationSource>)] = [
            ([0, 0, 0, 0] + Self.tiff, [.gps]), ([0, 0, 0, 6] + prefix + Self.tiff, [.gps]),
            ([0, 0, 0, 20] + Self.secret + Self.tiff, [.gps, .unknownData]),
            ([0xFF, 0xFF, 0xFF, 0xFF] + Self.tiff, [.damagedEXIF, .gps]), (Self.secret, [.damagedEXIF]),
            ([1], [.damagedEXIF]),
        ]
        for (data, removed) in rows {
            let bytes = file([HEIFBuilder.Item(type: "Exif", data: data, method: method)])
            let scrubbed = try scrubbed(bytes)
            #expect(scrubbed.removed == removed, "\(data)")
            #expect(scrubbed.bytes.count == bytes.count)
        }
    }

    @Test("XMP items that name a place become empty packets, and items of unknown kinds become zeros")
    func otherItems() throws {
        let packet = Array("<x:xmpmeta photoshop:City='TINTYPE-SECRET-PLACE'/>".utf8)
        let bytes = file([
            HEIFBuilder.Item(type: "mime", data: packet), HEIFBuilder.Item(type: "uri ", data: Self.secret),
            HEIFBuilder.Item(type: "mime", data: Array("<x:xmpmeta dc:rights='Somebody'/>".utf8)),
        ])
        let scrubbed = try scrubbed(bytes)
        #expect(scrubbed.removed == [.xmp, .unknownData])
        let text = String(decoding: scrubbed.bytes, as: UTF8.self)
        #expect(text.contains("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>  ") && text.contains("Somebody"))
    }

    @Test("Boxes of unknown kinds become free space, or are removed at the end")
    func boxes() throws {
        let unknown = HEIFBuilder.box("uuid", Self.secret)
        let end = HEIFBuilder.box("mpvd", Self.secret)
        let middle = HEIFBuilder.box("free", Self.secret) + unknown + HEIFBuilder.box("mdat", [7])
        let scrubbed = try scrubbed(Self.plain + middle + end + unknown)
        #expect(scrubbed.removed == [.unknownData, .trailingData])
        #expect(scrubbed.bytes.count == Self.plain.count + middle.count)
        #expect(scrubbed.bytes.starts(with: Self.plain))
        try expectTheSamePicture(scrubbed.bytes, Self.plain)
        let tables = file([], boxes: [HEIFBuilder.box("meta", Self.secret)], tables: [unknown])
        #expect(try self.scrubbed(tables).removed == [.unknownData, .trailingData])
    }

    @Test("Data that belong to no item become zeros, unless they may belong to a film", arguments: [0, 1])
    func leftovers(method: Int) throws {
        let item = HEIFBuilder.Item(type: "Exif", data: Self.tiff, method: method)
        var nameless = file([item])
        // The second item lacks only its kind: its entry is of an old version, which has none.
        let entry = try #require(Data(nameless).range(of: Data("infe".utf8), options: .backwards)).upperBound
        nameless[entry] = 0
        let apart = file([], boxes: [HEIFBuilder.box("mdat", Self.tiff)])
        let among = file([], boxes: [HEIFBuilder.box("mdat", Self.secret), HEIFBuilder.box("mdat", [0])])
        for bytes in [nameless, apart, among] {
            #expect(PlaceOracle(bytes).places != [])
            let scrubbed = try scrubbed(bytes)
            #expect(scrubbed.removed == [.unknownData])
            #expect(scrubbed.bytes.count == bytes.count)
            #expect(Data(scrubbed.bytes).range(of: Data([1, 2, 3, 4])) != nil)
        }
        let film = Self.plain + HEIFBuilder.box("mdat", [7, 8, 9]) + film(handler: "vide")
        #expect(try Data(self.scrubbed(film).bytes).range(of: Data([7, 8, 9])) != nil)
    }

    /// Returns a film of one track, with user data at every level.
    private func film(handler: String) -> [UInt8] {
        let data = HEIFBuilder.box("udta", HEIFBuilder.box("\u{A9}xyz", Self.secret))
        let type = HEIFBuilder.fullBox("hdlr", [0, 0, 0, 0] + Array(handler.utf8) + [0])
        let samples = HEIFBuilder.box("minf", HEIFBuilder.box("stbl", [1, 2, 3]) + data)
        let track = HEIFBuilder.box("tkhd", [1]) + HEIFBuilder.box("mdia", type + samples + data)
        return HEIFBuilder.box("moov", HEIFBuilder.box("mvhd", [1]) + HEIFBuilder.box("trak", track + data) + data)
    }

    @Test("User data of a film become free space; a track of metadata is refused")
    func films() throws {
        let bytes = Self.plain + film(handler: "pict") + HEIFBuilder.box("uuid", Self.secret)
        let scrubbed = try scrubbed(bytes)
        #expect(scrubbed.removed == [.unknownData])
        #expect(scrubbed.bytes.count == bytes.count)
        try expectTheSamePicture(scrubbed.bytes, Self.plain)
        let error = #expect(throws: ImageError.self) {
            try LocationScrubber.scrub(Self.plain + film(handler: "meta"))
        }
        #expect(error?.code == .unsupportedFormat)
    }

    @Test("Data that cannot be reached, or belong to two items, are refused")
    func refusals() {
        let sources = HEIFBuilder.sources(isOtherFile: [true])
        let rows: [(item: HEIFBuilder.Item, code: ImageError.Code)] = [
            (HEIFBuilder.Item(type: "Exif", data: Self.tiff, method: 2), .unsupportedFormat),
            (HEIFBuilder.Item(type: "mime", data: Self.tiff, protection: 1), .unsupportedFormat),
            (HEIFBuilder.Item(type: "jpeg", data: Self.tiff), .unsupportedFormat),
        ]
        for (item, code) in rows {
            let error = #expect(throws: ImageError.self) { try LocationScrubber.scrub(file([item])) }
            #expect(error?.code == code)
        }
        let elsewhere = HEIFBuilder.Item(type: "Exif", data: [1], source: 1)
        // The builder puts the item's data into this file, too, where they belong to no item.
        #expect((try? LocationScrubber.scrub(file([elsewhere], tables: [sources])).removed) == [.unknownData])
        // The item's data begin two bytes before the end of the picture's data.
        var overlapping = file([HEIFBuilder.Item(type: "Exif", data: Self.tiff)])
        let table = Data(overlapping).range(of: Data("iloc".utf8))?.upperBound ?? 0
        let entry = Data(overlapping).range(of: Data([0, 2, 0, 0, 0, 0, 0, 1]), in: table..<overlapping.count)
        overlapping[(entry?.upperBound ?? 0) + 3] &-= 2
        let error = #expect(throws: ImageError.self) { try LocationScrubber.scrub(overlapping) }
        #expect(error?.code == .corrupt)
        let many = [[UInt8]](repeating: HEIFBuilder.box("free", []), count: 10_001)
        #expect(throws: ImageError.self) { try LocationScrubber.scrub(file([], boxes: many)) }
        let small = HEIFBuilder.box("mini", [1, 2, 3])
        #expect(throws: ImageError.self) { try LocationScrubber.scrub(Array(Self.plain.prefix(32)) + small) }
    }
}
