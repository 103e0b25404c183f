import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite("A scrubbed original has no place in it, and is the same photo")
struct LocationScrubberTests {
    /// The files with a place, and the sources that are removed from them.
    static let places: [(file: String, removed: Set<LocationSource>)] = [
        ("gps-ii.jpg", [.gps]), ("gps-mm.jpg", [.gps]), ("gps.png", [.gps]), ("gps.webp", [.gps]),
        ("gps.heic", [.gps]), ("gps.avif", [.gps]), ("thumbnail.jpg", [.gps, .unknownData]), ("iptc.jpg", [.iptc]),
        ("iptc.png", [.text]), ("xmp.jpg", [.xmp]), ("xmp.png", [.text]), ("xmp.webp", [.xmp]), ("xmp.gif", [.xmp]),
        ("xmp.heic", [.xmp]), ("xmp.avif", [.xmp]),
    ].map { ("places/" + $0.0, $0.1) }.filter { isReadable($0.file) }

    @Test("Every source of a place is removed, and the picture is unchanged", arguments: places)
    func place(file: String, removed: Set<LocationSource>) throws {
        let bytes = ImageFixture.bytes(file)
        #expect(!PlaceOracle(bytes).places.isEmpty)
        #expect(try LocationScrubber.containsLocation(bytes))
        let scrubbed = try LocationScrubber.scrub(bytes)
        #expect(scrubbed.removed == removed)
        #expect(PlaceOracle(scrubbed.bytes).places == [])
        try expectTheSamePicture(scrubbed.bytes, bytes)
    }

    @Test("EXIF keeps date, camera and copyright", arguments: places.map(\.file).filter { $0.contains("gps") })
    func exif(file: String) throws {
        let bytes = try LocationScrubber.scrub(ImageFixture.bytes(file)).bytes
        for text in ["2024:01:02 03:04:05", "Tintype", "Somebody"] {
            #expect(Data(bytes).range(of: Data(text.utf8)) != nil, "\(text)")
        }
    }

    @Test(
        "A file without a place is unchanged, including descriptions and comments",
        arguments: ["jpg", "png", "webp", "gif", "heic", "avif"].map { "kept-xmp.\($0)" } + ["kept-iptc.jpg"])
    func kept(file: String) throws {
        guard isReadable(file) else { return }
        let bytes = ImageFixture.bytes("places/" + file)
        #expect(bytes.count > 500)
        #expect(try !LocationScrubber.containsLocation(bytes))
        #expect(try LocationScrubber.scrub(bytes).bytes == bytes)
    }

    @Test("Every readable picture stays the same, or is refused", arguments: ImageFixture.whole)
    func fixtures(_ fixture: ImageFixture) throws {
        let scrubbed: ScrubbedImage
        do throws(ImageError) {
            scrubbed = try LocationScrubber.scrub(fixture.bytes)
        } catch {
            Issue.record("\(error)")
            return
        }
        try expectTheSamePicture(scrubbed.bytes, fixture.bytes)
        if scrubbed.removed.isEmpty { #expect(scrubbed.bytes == fixture.bytes) }
        let places = PlaceOracle(scrubbed.bytes).places
        // A description and a comment were written by a person.
        #expect(places.allSatisfy { $0 == "TINTYPE-SECRET-PLACE" }, "\(places)")
    }

    @Test("Photos of real cameras stay the same", arguments: photos.filter { $0.pathExtension != "md" })
    func cameras(_ photo: URL) throws {
        let bytes = Array(try Data(contentsOf: photo))
        let header = try ImageHeader.read(bytes.span)
        let scrubbed = try LocationScrubber.scrub(bytes)
        #expect(try ImageHeader.read(scrubbed.bytes.span) == header)
        #expect(try LocationScrubber.scrub(scrubbed.bytes).removed == [])
        let recipe = try Recipe(parsing: "small=320,alpha")
        let (before, after) = try (
            Renderer().render(bytes.span, recipes: [recipe]), Renderer().render(scrubbed.bytes.span, recipes: [recipe])
        )
        #expect(before.renditions == after.renditions)
        #expect(PlaceOracle(scrubbed.bytes).places == [])
    }

    @Test(
        "A file that is not a picture is refused as in rendering", arguments: ["tiff.png", "empty.jpg", "video.jpg"])
    func refused(file: String) {
        let expected = #expect(throws: ImageError.self) { _ = try ImageHeader.read(ImageFixture.bytes(file).span) }
        let error = #expect(throws: ImageError.self) { _ = try LocationScrubber.scrub(ImageFixture.bytes(file)) }
        #expect(error == expected)
        #expect(throws: ImageError.self) { _ = try LocationScrubber.containsLocation(ImageFixture.bytes(file)) }
        let limits = ImageLimits(maxInputBytes: 100)
        let size = #expect(throws: ImageError.self) {
            _ = try LocationScrubber.scrub(ImageFixture.bytes("photo.jpg"), limits: limits)
        }
        #expect(size?.code == .tooLargeBytes)
    }
}

/// Expects two files to have the same header and the same pixels, and the first to be scrubbed.
func expectTheSamePicture(
    _ bytes: [UInt8], _ original: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let again = try LocationScrubber.scrub(bytes)
    #expect(again.bytes == bytes && again.removed == [], sourceLocation: sourceLocation)
    #expect(
        try ImageHeader.read(bytes.span) == ImageHeader.read(original.span), sourceLocation: sourceLocation)
    #expect(try decode(bytes).bytes == decode(original).bytes, sourceLocation: sourceLocation)
}
