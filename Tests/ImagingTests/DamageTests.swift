import TestSupport
import Testing

@testable import Imaging

@Suite("Damaged bytes end in an image or an error, never in a crash")
struct DamageTests {
    private static let files = [
        "size-24x16.jpg", "size-24x16.png", "size-24x16.gif", "bomb-scans.jpg", "size-5x3-interlaced.png",
        "size-24x16.webp", "size-24x16-alpha.webp", "size-24x16-lossless.webp", "animated-24x16.webp",
        "size-32x24.heic", "size-32x24.avif",
    ].filter(isReadable)

    private func render(
        _ bytes: Span<UInt8>, limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> RenderedImage {
        let recipe = try Recipe(parsing: "thumb=12x9,cover,alpha")
        return try Renderer(limits: limits).render(bytes, recipes: [recipe])
    }

    /// The number of bytes at the end of a file that contain no pixel: markers, blocks and chunks, checksums, end
    /// codes.
    private static let endBytes = 24

    @Test(
        "A file that is cut at any byte is refused, unless at most a tenth of its pixels is missing", arguments: files)
    func cuts(file: String) {
        let bytes = ImageFixture.bytes(file)
        #expect(bytes.count > 50)
        let mayBeCut = ["jpg", "png", "gif"].contains { file.hasSuffix($0) }
        for count in 0..<bytes.count {
            do throws(ImageError) {
                let warnings = try render(bytes.span.extracting(0..<count)).warnings
                // A progressive JPEG with fewer scans is below the limit, and only lacks some of its last bits.
                let isEnough = count > bytes.count / 2 || file == "bomb-scans.jpg"
                #expect(mayBeCut && isEnough, "\(count) of \(bytes.count) bytes were accepted")
                #expect(warnings == [.truncated] || warnings == [] && count + Self.endBytes > bytes.count)
            } catch {
                let isExpected = ["empty", "unsupported_format", "truncated", "too_many_scans"].contains(
                    error.code.rawValue)
                #expect(isExpected, "\(count) bytes: \(error)")
            }
        }
    }

    @Test(arguments: files)
    func flippedBits(file: String) {
        let bytes = ImageFixture.bytes(file)
        var random = SeededGenerator(seed: 0x7E57_0000_0001)
        for _ in 0..<1500 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let bit = Int.random(in: 0..<damaged.count * 8, using: &random)
                damaged[bit / 8] ^= 1 << (bit % 8)
            }
            _ = try? render(damaged.span)
        }
    }

    @Test(
        "A small file survives the flipping of each bit",
        arguments: ["size-1x1.jpg", "size-5x3-interlaced.png", "size-1x1.gif"])
    func everyBit(file: String) {
        var bytes = ImageFixture.bytes(file)
        #expect(bytes.count > 20)
        for bit in 0..<bytes.count * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            do throws(ImageError) {
                #expect(try render(bytes.span, limits: ImageLimits(maxPixels: 4096)).renditions.count == 1)
            } catch {
                #expect(!error.message.isEmpty && !error.hint.isEmpty && !error.isTransient)
            }
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
    }

    @Test(arguments: files)
    func replacedRuns(file: String) {
        let bytes = ImageFixture.bytes(file)
        var random = SeededGenerator(seed: 0x7E57_0000_0002)
        for _ in 0..<500 {
            var damaged = bytes
            let start = Int.random(in: 0..<damaged.count, using: &random)
            let end = min(damaged.count, start + Int.random(in: 1...16, using: &random))
            damaged.replaceSubrange(
                start..<end,
                with: (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
                })
            _ = try? render(damaged.span)
        }
    }

    @Test(
        "Noise after each signature is handled",
        arguments: [
            [0xFF, 0xD8, 0xFF], Array("\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) }),
            Array("GIF89a".utf8), Array("RIFF\u{64}\0\0\0WEBPVP8X".utf8),
        ] as [[UInt8]])
    func noise(signature: [UInt8]) {
        var random = SeededGenerator(seed: 0x7E57_0000_0003)
        for _ in 0..<1000 {
            let bytes =
                signature
                + (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = try? render(bytes.span)
        }
    }
}
