import TestSupport

#if AVCodec
    import Foundation
    import Testing

    @testable import Imaging

    @Suite("libavcodec's HEVC decoder agrees with libde265")
    struct HEVCDifferentialTests {
        private static let files =
            ImageFixture.whole.filter { $0.format == "heic" }.map { ImageFixture.folder.appending(path: $0.file) }
            + photos.filter { $0.pathExtension == "heic" }

        @Test func itIsInstalled() {
            #expect(LibavcodecDecoder(maxPixels: 1) != nil)
        }

        @Test("Both decoders give the same samples for every image; grey ones are left to libde265", arguments: files)
        func samples(_ file: URL) throws {
            let bytes = Array(try Data(contentsOf: file))
            let images = HEVCOracle.images(in: bytes)
            #expect(!images.isEmpty)
            for (units, size) in images {
                let theirs = try #require(HEVCOracle.theirs(units, size))
                let ours = HEVCOracle.ours(units, size)
                #expect(ours == nil || ours == theirs)
                #expect((ours == nil) == (theirs.shape.planeCount == 1))
            }
        }

        @Test("One decoder decodes images one after another, also after a damaged one")
        func inTurn() throws {
            let images = HEVCOracle.images(in: ImageFixture.bytes("grid.heic"))
            #expect(images.count > 1)
            let size = try #require(images.first).size
            let codec = try #require(LibavcodecDecoder(maxPixels: size.coded.pixelCount))
            for (units, _) in images {
                #expect(codec.image(Array(units.dropLast(20)), format: .heic) == nil)
                let image = codec.image(units, format: .heic)
                #expect(HEVCOracle.decoded(image) == HEVCOracle.theirs(units, size))
            }
        }

        @Test("An image with more pixels than the decoder's limit is not decoded")
        func limit() throws {
            let (units, size) = try #require(HEVCOracle.images(in: ImageFixture.bytes("plain.heic")).first)
            #expect(try #require(LibavcodecDecoder(maxPixels: size.pixelCount / 2)).image(units, format: .heic) == nil)
        }

        @Test(
            "Pictures with damaged slices that libavcodec accepts, libde265 accepts too, and none has a hole",
            arguments: ["plain.heic", "size-640x480.heic"])
        func damage(file: String) throws {
            let (original, size) = try #require(HEVCOracle.images(in: ImageFixture.bytes(file)).first)
            var random = SeededGenerator(seed: 0x7E57_0000_0027)
            var takenCount = 0
            for _ in 0..<150 {
                var units = original
                // The parameter sets are far less than half of the data.
                let bit = Int.random(in: units.count * 4..<units.count * 8, using: &random)
                units[bit / 8] ^= 1 << (bit % 8)
                guard let ours = HEVCOracle.ours(units, size) else { continue }
                takenCount += 1
                #expect(HEVCOracle.theirs(units, size) != nil, "bit \(bit)")
                #expect(!ours.hasHole, "bit \(bit)")
            }
            #expect((1..<150).contains(takenCount))
        }

        @Test func noBytesAreNoImage() throws {
            let codec = try #require(LibavcodecDecoder(maxPixels: 10_000))
            for units in [[], [0], [0, 0, 0, 2], [0, 0, 0, 1, 0x26], [0, 0, 0, 9, 0x26, 1], [0, 0, 0, 2, 0x26, 1]]
                as [[UInt8]]
            {
                #expect(codec.image(units, format: .heic) == nil)
            }
        }
    }

    extension HEVCOracle.Decoded {
        /// Whether sixteen by sixteen pixels are blacker than black, like memory that was never written.
        fileprivate var hasHole: Bool {
            stride(from: 0, to: size.height - 15, by: 8).contains { top in
                stride(from: 0, to: size.width - 15, by: 8).contains { left in
                    samples.allSatisfy { samples in
                        let isHalved = samples.count < size.pixelCount
                        let (side, width) = isHalved ? (8, (size.width + 1) / 2) : (16, size.width)
                        let (x, y) = isHalved ? (left / 2, top / 2) : (left, top)
                        return (y..<y + side).allSatisfy { row in
                            (x..<x + side).allSatisfy { samples[row * width + $0] == 0 }
                        }
                    }
                }
            }
        }
    }
#endif
