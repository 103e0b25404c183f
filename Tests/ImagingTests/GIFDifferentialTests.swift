import CCodecs
import Testing

@testable import Imaging

@Suite("The quick GIF decoder agrees with giflib")
struct GIFDifferentialTests {
    private static let files = Fixture.whole.filter { $0.format == "gif" }.map(\.file)

    @Test("The first frame, index by index as giflib reads it", arguments: files)
    func pixels(file: String) throws {
        let bytes = Fixture.bytes(file)
        let theirs = try #require(giflib(bytes))
        // What giflib cannot make out is left to it.
        guard let ours = GIFPixels.read(bytes.span, at: theirs.offset, count: theirs.pixels?.count ?? 0) else {
            return #expect(theirs.pixels == nil)
        }
        #expect(Array(ours[GIFPixels.offset...]) == theirs.pixels)
    }

    @Test(
        "Damaged files: what ours accepts giflib accepts too, and both see the same",
        arguments: ["plain.gif", "interlaced.gif"])
    func mutations(file: String) {
        var random = SplitMix(state: 0x7E57_0000_0030)
        let original = Fixture.bytes(file)
        var accepted = 0
        for number in 0..<2000 {
            var bytes = original
            for _ in 0...number % 3 {
                let position = Int.random(in: 13..<bytes.count, using: &random)
                bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            guard let theirs = giflib(bytes), theirs.width * theirs.height < 1 << 20,
                let ours = GIFPixels.read(bytes.span, at: theirs.offset, count: theirs.width * theirs.height)
            else { continue }
            accepted += 1
            #expect(Array(ours[GIFPixels.offset...]) == theirs.pixels, "mutation \(number)")
        }
        #expect(accepted > 100, "or nothing was compared")
    }

    @Test("Streams of noise are refused or decoded, and never more than there is room for", arguments: 1...9)
    func noise(rootBits: Int) {
        var random = SplitMix(state: UInt64(rootBits))
        guard let decoder = LZWDecoder(rootBits: rootBits) else { return #expect(!(2...8).contains(rootBits)) }
        for _ in 0..<500 {
            let stream = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let padded = stream + [UInt8](repeating: 0, count: LZWDecoder.slackBytes)
            let count = Int.random(in: 1...2000, using: &random)
            if let pixels = decoder.decode(padded.span, count: count) {
                #expect(pixels.count == LZWDecoder.rootCount + count)
            }
        }
        #expect(decoder.decode([1, 2, 3].span, count: 1) == nil, "there is no slack")
    }

    private struct Reading {
        let offset: Int
        let width: Int
        let height: Int
        /// Nil when giflib refuses them.
        let pixels: [UInt8]?
    }

    /// What giflib reads of the first frame, as stored; nil when there is none.
    private func giflib(_ bytes: [UInt8]) -> Reading? {
        var (fault, info) = (ccodecs_fault(), ccodecs_gif_info())
        var decoder: OpaquePointer?
        defer { ccodecs_gif_close(decoder) }
        return bytes.withUnsafeBufferPointer { buffer in
            guard ccodecs_gif_open(buffer.baseAddress, buffer.count, &decoder, &info, &fault) == .CCODECS_OK else {
                return nil
            }
            let offset = ccodecs_gif_data_offset(decoder)
            let (width, height) = (Int(info.width), Int(info.height))
            guard width * height < 1 << 20 else {
                return Reading(offset: offset, width: width, height: height, pixels: nil)
            }
            var (pixels, line) = ([UInt8](), [UInt8](repeating: 0, count: max(1, width)))
            for _ in 0..<height where width > 0 {
                guard ccodecs_gif_read_line(decoder, &line, &fault) == .CCODECS_OK else {
                    return Reading(offset: offset, width: width, height: height, pixels: nil)
                }
                pixels += line
            }
            return Reading(offset: offset, width: width, height: height, pixels: pixels)
        }
    }
}
