import Foundation
import Testing

@testable import Imaging

struct ThumbHashTests {
    /// Made with other implementations of the algorithm, from the same pixels.
    @Test(arguments: [
        ("rgb-8.png", "oPgJRYoE10iih3dyfGSIiJDHefmf"), ("size-97x61.png", "n/gFRIgE10iih3hye4aQx3n5nw=="),
        ("size-24x16.png", "n/gFRYoD10ihh3hyfFSYiZDHefmf"), ("grey-8.png", "IQgKBYAQ1kiwmHdTfGSZiAAAAAAA"),
        ("exif-6.png", "oPgJRYoE10iih3dyfGSIiJDHefmf"), ("rgba-8.png", "oPiJRIodBNeih3JsCHmch/95fYp4+EeHBg=="),
        ("transparent.gif", "YAiKRIgdBMeih3FsCHiblf56fYp4+EeHBg=="),
        ("grey-alpha-8.png", "IQiKBIAdANawmFJsCQAAAABwfYp4+EeHBg=="),
    ])
    func agreesWithOthers(file: String, expected: String) throws {
        let hash = try Renderer().render(Fixture.bytes(file).span, recipes: []).placeholder
        let reference = Array(try #require(Data(base64Encoded: expected)))
        #expect(hash.count == reference.count)
        // A value in the middle between two steps may be rounded either way.
        for (byte, other) in zip(hash, reference) {
            #expect(abs(Int(byte & 15) - Int(other & 15)) <= 1 && abs(Int(byte >> 4) - Int(other >> 4)) <= 1)
        }
    }

    @Test func aPlainPictureHasNoFrequencies() {
        let plain = PixelBuffer(
            size: PixelSize(width: 8, height: 6), channels: 3, bytes: (0..<144).map { [255, 90, 0][$0 % 3] })
        #expect(ThumbHash.encode(plain).dropFirst(5).allSatisfy { $0 == 0 })
    }

    @Test func transparencyIsKept() {
        let size = PixelSize(width: 4, height: 4)
        let empty = PixelBuffer(size: size, channels: 4)
        #expect(ThumbHash.encode(empty)[2] & 0x80 != 0)
        #expect(ThumbHash.encode(PixelBuffer(size: size, channels: 3))[2] & 0x80 == 0)
    }
}
