import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Thousands of damaged files. `TINTYPE_MUTATIONS` sets the number per file, for a longer run.
@Suite("A damaged photo is refused, or has no place and shows the same picture")
struct ScrubberDamageTests {
    static let files = LocationScrubberTests.places.map(\.file)
    static let count = ProcessInfo.processInfo.environment["TINTYPE_MUTATIONS"].flatMap(Int.init) ?? 150

    @Test("A file that is cut anywhere has no place in it", arguments: files)
    func cuts(file: String) {
        let bytes = ImageFixture.bytes(file)
        for count in 0..<bytes.count {
            let cut = Array(bytes.prefix(count))
            guard let scrubbed = try? LocationScrubber.scrub(cut) else { continue }
            // The names of XMP's fields may be cut.
            #expect(PlaceOracle(scrubbed.bytes).places == [], "\(count)")
            check(scrubbed, cut)
        }
    }

    @Test("A file that is changed anywhere has no place in it", arguments: files)
    func mutations(file: String) {
        let original = ImageFixture.bytes(file)
        var random = SeededGenerator(seed: 0x7E57_0000_0021)
        var accepted = 0
        for _ in 0..<Self.count {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
                case 2: bytes.removeSubrange(position..<min(bytes.count, position + 3))
                default: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
                }
            }
            guard let scrubbed = try? LocationScrubber.scrub(bytes) else { continue }
            accepted += 1
            check(scrubbed, bytes)
        }
        #expect(accepted * 20 > Self.count, "or nothing was looked at")
    }

    /// Expects that nothing is left to remove, and that the picture is as readable as before.
    private func check(_ scrubbed: ScrubbedImage, _ original: [UInt8]) {
        let bytes = scrubbed.bytes
        #expect(bytes.count <= original.count)
        if let again = try? LocationScrubber.scrub(bytes) {
            #expect(again.bytes == bytes && again.removed == [], "\(Data(original).base64EncodedString())")
        } else {
            Issue.record("refused the second time: \(Data(original).base64EncodedString())")
        }
        let (header, newHeader) = (try? ImageHeader.read(original.span), try? ImageHeader.read(bytes.span))
        #expect(header == newHeader, "\(Data(original).base64EncodedString())")
        let (pixels, newPixels) = (try? decode(original).bytes, try? decode(bytes).bytes)
        #expect(pixels == newPixels, "\(Data(original).base64EncodedString())")
    }
}
