import TestSupport
import Testing

@testable import Imaging

@Suite("A file without its place is the original file with parts removed and replaced")
struct ScrubbedPiecesTests {
    /// Returns the bytes of pieces of a file.
    private func bytes(_ pieces: [ScrubbedPieces.Piece], of file: [UInt8]) -> [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .stored(let range): Array(file[range])
            case .bytes(let bytes): bytes
            case .repeated(let byte, let count): [UInt8](repeating: byte, count: count)
            }
        }
    }

    @Test(
        "The pieces equal the result of scrubbing, in whole and in part",
        arguments: ImageFixture.whole.map(\.file) + LocationScrubberTests.places.map(\.file)
    )
    func pieces(file: String) throws {
        let original = ImageFixture.bytes(file)
        let scrubbed = try LocationScrubber.scrub(original)
        let pieces = try LocationScrubber.pieces(of: original)
        #expect(bytes(pieces.pieces, of: original) == scrubbed.bytes)
        #expect(pieces.byteCount == scrubbed.bytes.count)
        #expect(pieces.differs == !scrubbed.removed.isEmpty)
        if scrubbed.removed.isEmpty { #expect(pieces.pieces == [.stored(0..<original.count)]) }
        #expect(!pieces.pieces.contains { $0.byteCount == 0 })
        #expect(pieces.memoryByteCount < 200_000)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            let start = Int.random(in: 0..<pieces.byteCount, using: &generator)
            let end = Int.random(in: start...pieces.byteCount, using: &generator)
            let part = pieces.part(start..<end)
            #expect(bytes(part, of: original) == Array(scrubbed.bytes[start..<end]), "\(start)..<\(end)")
            #expect(!part.contains { $0.byteCount == 0 })
        }
    }

    @Test("Fills and cuts may be in any order, adjacent or overlapping")
    func edits() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let count = Int.random(in: 1...200, using: &generator)
            let original = (0..<count).map { UInt8($0 % 256) }
            var file = ScrubbedBytes(original)
            var cutEnd = 0
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let start = Int.random(in: cutEnd...count, using: &generator)
                let range = start..<Int.random(in: start...count, using: &generator)
                if Bool.random(using: &generator) {
                    file.cut(range, as: .xmp)
                    cutEnd = max(cutEnd, range.upperBound)
                } else {
                    file.fill(range, with: 0xEE)
                    file.note(.gps)
                }
            }
            var copy = file
            let scrubbed = copy.finish()
            let pieces = file.finishedPieces()
            #expect(pieces.map { bytes($0.pieces, of: original) } == (file.found.isEmpty ? original : scrubbed))
        }
    }

    @Test("A film that is filled with zeros uses no memory")
    func longRuns() throws {
        var file = ScrubbedBytes((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) })
        file.fill(100..<1_900_000, as: .trailingData)
        let finished = file.finishedPieces()
        let pieces = try #require(finished)
        #expect(pieces.pieces.count == 3 && pieces.memoryByteCount < 1000)
        #expect(pieces.byteCount == 2_000_000)
    }

    @Test("A file with thousands of changes, or with very many changed bytes, is refused")
    func tooMany() {
        var chunks = Array(ImageFixture.bytes("rgb-8.png").prefix(33))
        // An unknown chunk and one that stays, in turns. The checksums are not checked.
        for _ in 0..<5000 {
            for type in ["abCd", "tIME"] { chunks += [0, 0, 0, 0] + Array(type.utf8) + [0, 0, 0, 0] }
        }
        chunks += ImageFixture.bytes("rgb-8.png").dropFirst(33)
        #expect((try? LocationScrubber.scrub(chunks))?.removed == [.unknownData])
        let error = #expect(throws: ImageError.self) { _ = try LocationScrubber.pieces(of: chunks) }
        #expect(error?.code == .unsupportedFormat)
        var generator = SeededGenerator(seed: 5)
        var file = ScrubbedBytes([UInt8](repeating: 0, count: 3 << 20))
        file.write((0..<3 << 20).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: 0)
        file.note(.unknownData)
        let finished = file.finishedPieces()
        #expect(finished == nil)
    }
}
