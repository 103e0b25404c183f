import CKernels
import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite("The fast PNG decoder agrees with libpng")
struct PNGDifferentialTests {
    private static let files = ImageFixture.whole.filter { $0.format == "png" }.map(\.file)

    @Test("Our decoder accepts usual files, and gives the same samples as libpng", arguments: files)
    func pixels(file: String) throws {
        let bytes = ImageFixture.bytes(file)
        let isUsual = bytes[24] == 8 && [0, 2, 6].contains(bytes[25]) && bytes[28] == 0
        guard let ours = try PNGOracle.ours(bytes) else {
            return #expect(!isUsual || bytes.contains("tRNS") || file.contains("acTL"))
        }
        #expect(ours == (try PNGOracle.theirs(bytes)))
    }

    @Test("Files with a flipped bit that our decoder accepts, libpng accepts too, and both give the same samples")
    func mutations() throws {
        var random = SeededGenerator(seed: 0x7E57_0000_0020)
        for file in ["rgb-8.png", "rgba-8.png", "grey-8.png"] {
            let original = ImageFixture.bytes(file)
            for number in 0..<100 {
                var bytes = original
                let position = Int.random(in: 8..<bytes.count, using: &random)
                bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
                // In every other round the checksums are repaired, so that the content is judged.
                if number % 2 == 0 { bytes.repairChecksums() }
                if let ours = try PNGOracle.ours(bytes) {
                    #expect(ours == (try? PNGOracle.theirs(bytes)), "byte \(position) of \(file)")
                }
            }
        }
    }

    @Test("A chunk whose type is not four letters is left to libpng, which refuses it")
    func chunkTypes() throws {
        let original = ImageFixture.bytes("rgb-8.png")
        for type in [[0x74, 0xDF, 0x9E, 0xE2], [0x31, 0x45, 0x78, 0x74], [0x74, 0x45, 0x78, 0x5B]] as [[UInt8]] {
            var bytes = original
            // An empty chunk after the header.
            bytes.insert(contentsOf: [0, 0, 0, 0] + type + [0, 0, 0, 0], at: 33)
            bytes.repairChecksums()
            #expect(try PNGOracle.ours(bytes) == nil)
            #expect(throws: ImageError.self) { try PNGOracle.theirs(bytes) }
        }
    }

    @Test(
        "Rows of noise with random filters, some of them invalid, are decoded or refused as by libpng",
        arguments: [UInt8(0), 2, 6])
    func noise(colorType: UInt8) throws {
        var random = SeededGenerator(seed: UInt64(colorType))
        let channels = colorType == 0 ? 1 : colorType == 2 ? 3 : 4
        for round in 0..<40 {
            let (width, height) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...20, using: &random))
            var rows: [UInt8] = []
            for _ in 0..<height {
                rows.append(UInt8.random(in: 0...(round % 4 == 0 ? 5 : 4), using: &random))
                for _ in 0..<width * channels { rows.append(UInt8.random(in: 0...255, using: &random)) }
            }
            let bytes = [UInt8](pngOf: rows, width: width, height: height, colorType: colorType)
            let ours = try PNGOracle.ours(bytes)
            #expect(ours == (try? PNGOracle.theirs(bytes)))
            #expect(
                (ours != nil) == stride(from: 0, to: rows.count, by: width * channels + 1).allSatisfy { rows[$0] < 5 })
            if width * channels > 1 {
                #expect(
                    try PNGOracle.ours(
                        [UInt8](pngOf: rows.dropLast(), width: width, height: height, colorType: colorType))
                        == nil)
            }
        }
    }

    @Test("A file that is cut at any byte is left to libpng")
    func cuts() throws {
        let bytes = ImageFixture.bytes("rgb-8.png")
        for count in 33..<bytes.count { #expect(try PNGOracle.ours(Array(bytes[..<count])) == nil) }
    }

    @Test(
        "Filters and planes have the same results on every processor",
        arguments: [1, 3, 4], [1, 2, 3, 4, 5, 12, 99, 100])
    func kernels(channels: Int, width: Int) {
        var random = SeededGenerator(seed: UInt64(channels * 1000 + width))
        let (count, rowCount) = (channels * width, 9)
        for round in 0..<50 {
            let above = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var portable: [UInt8] = []
            for _ in 0..<rowCount {
                portable.append(round % 2 == 0 ? 4 : UInt8.random(in: 0...4, using: &random))
                for _ in 0..<count { portable.append(UInt8.random(in: 0...255, using: &random)) }
            }
            var fast = portable
            ckernels_png_unfilter_portable(&portable, rowCount, above, count, channels)
            ckernels_png_unfilter(&fast, rowCount, above, count, channels)
            #expect(fast == portable)
            var planes = [UInt8](repeating: 0, count: channels * (width + 3))
            var fastPlanes = planes
            ckernels_split_pixels_portable(above, channels, &planes, width + 3, width)
            ckernels_split_pixels(above, channels, &fastPlanes, width + 3, width)
            #expect(fastPlanes == planes)
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ chunk: String) -> Bool { indices.contains { span.starts(with: chunk, at: $0) } }
}
