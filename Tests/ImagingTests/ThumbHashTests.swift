import Foundation
import Testing

@testable import Imaging

struct ThumbHashTests {
    /// Hashes by other implementations of the algorithm, from the same pixels.
    @Test(arguments: [
        ("rgb-8.png", "oPgJRYoE10iih3dyfGSIiJDHefmf"), ("size-97x61.png", "n/gFRIgE10iih3hye4aQx3n5nw=="),
        ("size-24x16.png", "n/gFRYoD10ihh3hyfFSYiZDHefmf"), ("grey-8.png", "IQgKBYAQ1kiwmHdTfGSZiAAAAAAA"),
        ("exif-6.png", "oPgJRYoE10iih3dyfGSIiJDHefmf"), ("rgba-8.png", "oPiJRIodBNeih3JsCHmch/95fYp4+EeHBg=="),
        ("transparent.gif", "YAiKRIgdBMeih3FsCHiblf56fYp4+EeHBg=="),
        ("grey-alpha-8.png", "IQiKBIAdANawmFJsCQAAAABwfYp4+EeHBg=="),
    ])
    func agreesWithOthers(file: String, expected: String) throws {
        let hash = try Renderer().render(ImageFixture.bytes(file).span, recipes: []).placeholder
        #expect(isAlike(hash, expected))
    }

    /// A value halfway between two steps, as for a missing frequency, may be rounded either way.
    private func isAlike(_ hash: [UInt8], _ expected: String) -> Bool {
        guard let reference = Data(base64Encoded: expected), hash.count == reference.count else { return false }
        return zip(hash, reference).allSatisfy { (byte: UInt8, other: UInt8) -> Bool in
            let low = abs(Int(byte & 15) - Int(other & 15))
            let high = abs(Int(byte >> 4) - Int(other >> 4))
            return max(low, high) <= 1
        }
    }

    /// Hashes by the public Python package `thumbhash` 0.1.2, a port of the reference implementation, with the
    /// reference's rounding and its handling of alpha, from pixels that both compute.
    @Test(arguments: [
        (100, 75, false, "HwgKNZpwd3dwd4d3h3d3eICACPh3"),
        (75, 100, false, "H/gJPRpwdnB3eHd3h3h3h4GACPh4"),
        (64, 64, false, "HwgKNxpwd3dwd3d3eHd3h3d3BwiIgI8H"),
        (100, 10, false, "H/gJOZxwd3dwh3d3koAY+Hg="),
        (7, 100, false, "nggOMR5gcniHd3eHxIAJ6Hg="),
        (3, 3, false, "lgsuRySFeAqFiHiIiIiIeIh6AAiHgI8H"),
        (100, 75, true, "H/iJNII4cHhwdmeHBwiIcI+IeIh/hYdYCA=="),
        (50, 100, true, "H/iJMwI4cHB2hoeAgAjoeIiH91d4iIU="),
    ])
    func agreesWithTheReference(width: Int, height: Int, hasHoles: Bool, expected: String) {
        let size = PixelSize(width: width, height: height)
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let isHole = hasHoles && (x * 2 < width) != (y * 2 < height)
                let color = [x * 255 / (width - 1), y * 255 / (height - 1), (x * y * 7 + x * 3) % 256, 255]
                pixels += color.prefix(hasHoles ? 4 : 3).map { isHole ? 0 : UInt8($0) }
            }
        }
        let image = PixelBuffer(size: size, channels: hasHoles ? 4 : 3, bytes: pixels)
        #expect(isAlike(ThumbHash.encode(image), expected))
    }

    @Test func aPlainImageHasNoFrequencies() {
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
