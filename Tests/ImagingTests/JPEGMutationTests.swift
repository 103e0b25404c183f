import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Thousands of damaged JPEGs. `TINTYPE_MUTATIONS` sets the number per file, for a longer run.
@Suite("Damaged files that our JPEG decoder accepts, libjpeg accepts too, and both give the same samples")
struct JPEGMutationTests {
    static let files = [
        "size-24x16.jpg", "restart-markers.jpg", "baseline-422.jpg", "baseline-411.jpg", "grey.jpg", "baseline-444.jpg",
        "progressive-dc-scans-2x2.jpg", "progressive-420.jpg", "progressive-bands.jpg",
    ]
    static let count = ProcessInfo.processInfo.environment["TINTYPE_MUTATIONS"].flatMap(Int.init) ?? 100

    @Test("Flipped bits, replaced bytes and cuts in the middle do not make the decoders disagree", arguments: files)
    func mutations(file: String) throws {
        let original = ImageFixture.bytes(file)
        var random = SeededGenerator(seed: 0x7E57_0000_0010)
        var (accepted, equal) = (0, 0)
        for number in 0..<JPEGMutationTests.count {
            let damaged = JPEGMutationTests.mutate(original, &random)
            switch JPEGComparison.of(damaged) {
            case .refused: break
            case .accepted(let areEqual):
                accepted += 1
                equal += areEqual ? 1 : 0
            case .disagreement(let what):
                Issue.record("mutation \(number) of \(file): \(what): \(Data(damaged).base64EncodedString())")
            }
        }
        #expect(accepted * 100 > JPEGMutationTests.count, "or nothing was compared")
        #expect(equal * 20 >= accepted * 19)
    }

    @Test(
        "A file cut anywhere is refused", arguments: ["size-24x16.jpg", "restart-markers.jpg", "progressive-420.jpg"])
    func cuts(file: String) {
        let bytes = ImageFixture.bytes(file)
        for count in 0..<bytes.count where count % 7 == 0 || count > bytes.count - 30 {
            let cut = Array(bytes[0..<count])
            #expect(JPEGOracle.ours(cut, eighths: [1]) == nil && JPEGOracle.oursOfProgressive(cut, eighths: [1]) == nil)
        }
    }

    private static func mutate(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let position = Int.random(in: 2..<bytes.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(position..<min(bytes.count - 2, position + 1 + position % 5).clamped(position))
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
            default: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
        }
        return bytes
    }
}

extension Int {
    fileprivate func clamped(_ least: Int) -> Int { Swift.max(self, least) }
}
