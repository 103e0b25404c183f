import Testing

@testable import Imaging

@Suite("A file is complete if it ends as its format requires")
struct TrailerTests {
    private func isComplete(_ bytes: [UInt8], reads: ((Int, Int) throws -> [UInt8])? = nil) -> Bool {
        ImageFormat.isComplete(byteCount: bytes.count) { offset, maxBytes in
            try reads?(offset, maxBytes) ?? Array(bytes.dropFirst(offset).prefix(maxBytes))
        }
    }

    @Test(
        "A copy without its last bytes is not complete",
        arguments: [
            "baseline-420.jpg", "progressive-420.jpg", "rgb-8.png", "plain.gif", "animated.gif", "lossy.webp",
            "animated.webp", "plain.heic", "grid.heic", "plain.avif",
        ])
    func cut(file: String) {
        let bytes = ImageFixture.bytes(file)
        #expect(isComplete(bytes))
        for missing in [2, 3, 12, bytes.count / 2, bytes.count - 12, bytes.count - 1] {
            #expect(!isComplete(Array(bytes.dropLast(missing))), "\(missing)")
        }
    }

    @Test("Only the padding byte after a WebP of an odd length may be missing")
    func padding() {
        let whole = Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [1, 0]
        #expect(isComplete(whole))
        #expect(isComplete(Array(whole.dropLast())))
        #expect(!isComplete(Array(whole.dropLast(2))))
        #expect(!isComplete(whole + [0]))
    }

    /// Returns a file type box of 16 bytes, and the bytes after it.
    private func boxes(_ rest: [UInt8]) -> [UInt8] {
        [0, 0, 0, 16] + Array("ftypheic".utf8) + [0, 0, 0, 0] + rest
    }

    @Test("Boxes end with the file, whatever the size of their length fields")
    func boxLengths() {
        let payload = [UInt8](repeating: 7, count: 8)
        let long: [UInt8] = [0, 0, 0, 1] + Array("mdat".utf8) + [0, 0, 0, 0, 0, 0, 0, 24] + payload
        #expect(isComplete(boxes([])))
        #expect(isComplete(boxes([0, 0, 0, 16] + Array("mdat".utf8) + payload)))
        #expect(isComplete(boxes(long)))
        #expect(!isComplete(boxes(Array(long.dropLast()))))
        #expect(!isComplete(boxes([0, 0, 0, 17] + Array("mdat".utf8) + payload)))
        // A length of 0 extends to the end, wherever that is; a length below the box's own 8 bytes is invalid.
        #expect(!isComplete(boxes([0, 0, 0, 0] + Array("mdat".utf8) + payload)))
        #expect(!isComplete(boxes([0, 0, 0, 7] + Array("mdat".utf8) + payload)))
        #expect(!isComplete(boxes([0, 0, 0, 1] + Array("mdat".utf8) + [UInt8](repeating: 255, count: 8) + payload)))
        let many = [[UInt8]](repeating: [0, 0, 0, 8] + Array("free".utf8), count: 64).joined()
        #expect(isComplete(boxes(Array(many.dropLast(8)))))
        #expect(!isComplete(boxes(Array(many))))
    }

    @Test("A file that is not an image, or cannot be read, is not complete")
    func others() {
        #expect(!isComplete([]))
        #expect(!isComplete([0xFF, 0xD8, 0xFF, 0xD9]))
        #expect(!isComplete(Array("A text that ends with a full stop, as texts do.".utf8)))
        struct Unreadable: Error {}
        let bytes = ImageFixture.bytes("baseline-420.jpg")
        #expect(!isComplete(bytes) { _, _ in throw Unreadable() })
        #expect(!isComplete(bytes) { offset, maxBytes in Array(bytes.dropFirst(offset).prefix(maxBytes - 1)) })
    }
}
