import TestSupport
import Testing

@testable import Imaging

@Suite("A GIF with codes that no encoder writes has a warning, or is refused if a large part is missing")
struct GIFDamageTests {
    /// The codes of a frame of 200 pixels, with nine bits and one pixel each, and the damage to them.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout [Int]) -> Void
        /// The expected warnings; nil if the file is refused.
        let warnings: [ImageWarning]?
        var message = "of the picture is missing"
    }

    private static let (clear, end, pixels) = (256, 257, Array(0..<200))

    static let rows = [
        Row(testDescription: "as encoders write it", change: { _ in }, warnings: []),
        Row(testDescription: "no code for the end", change: { $0.removeLast() }, warnings: []),
        Row(testDescription: "zeros behind the end", change: { $0 += [0, 0, 0] }, warnings: []),
        Row(
            testDescription: "zeros in place of the end",
            change: {
                $0.removeLast()
                $0 += [0, 0, 0, 0]
            }, warnings: []),
        Row(testDescription: "an impossible code at the end", change: { $0[191] = 511 }, warnings: [.damaged]),
        Row(
            testDescription: "an impossible code in the middle", change: { $0[101] = 511 }, warnings: nil,
            message: "about 50 % of the picture is missing"),
        Row(testDescription: "the end a bit too early", change: { $0[191] = end }, warnings: [.damaged]),
        Row(testDescription: "the end far too early", change: { $0[51] = end }, warnings: nil),
        Row(testDescription: "the last codes are missing", change: { $0.removeLast(11) }, warnings: [.damaged]),
        Row(testDescription: "many codes are missing", change: { $0.removeLast(60) }, warnings: nil),
        Row(testDescription: "no code at all", change: { $0 = [] }, warnings: nil, message: "100 %"),
        Row(
            testDescription: "pixels too many", change: { $0.insert(contentsOf: [7, 8, 9], at: 201) },
            warnings: [.damaged]),
        Row(testDescription: "a string beyond the last pixel", change: { $0[200] = clear + 2 }, warnings: [.damaged]),
    ]

    private static let palette = (0..<768).map { UInt8(truncatingIfNeeded: $0 * 89) }

    /// Returns a GIF of 20 × 10 pixels.
    private func gif(_ codes: [Int], flags: UInt8 = 0xF7, palette: [UInt8] = GIFDamageTests.palette) -> [UInt8] {
        var (stream, window, windowBits) = ([UInt8](), 0, 0)
        for code in codes {
            window |= code << windowBits
            windowBits += 9
            while windowBits >= 8 {
                stream.append(UInt8(window & 255))
                (window, windowBits) = (window >> 8, windowBits - 8)
            }
        }
        if windowBits > 0 { stream.append(UInt8(window)) }
        let blocks = stride(from: 0, to: stream.count, by: 255).flatMap { start in
            let block = stream[start..<min(stream.count, start + 255)]
            return [UInt8(block.count)] + block
        }
        let size: [UInt8] = [20, 0, 10, 0]
        let screen = Array("GIF89a".utf8) + size + [flags, 0, 0] + palette
        return screen + [0x2C, 0, 0, 0, 0] + size + [0, 8] + blocks + [0, 0x3B]
    }

    @Test(arguments: rows)
    func codes(_ row: Row) throws {
        var codes = [Self.clear] + Self.pixels + [Self.end]
        row.change(&codes)
        let recipes = [try Recipe(parsing: "exact=20,png,alpha")]
        do throws(ImageError) {
            let rendered = try Renderer().render(gif(codes).span, recipes: recipes)
            #expect(rendered.warnings == row.warnings)
        } catch {
            #expect(row.warnings == nil && error.code == .corrupt && error.message.contains(row.message), "\(error)")
        }
    }

    @Test(
        "Copies with three changed bytes show the picture, or have a warning",
        arguments: ["plain.gif", "large-odd.gif"])
    func changedBytes(file: String) throws {
        let whole = ImageFixture.bytes(file)
        let recipes = [try Recipe(parsing: "exact=403,png,alpha")]
        let expected = try Renderer().render(whole.span, recipes: recipes).renditions
        var random = SeededGenerator(seed: 0x7E57_0000_0040)
        var (warned, refused) = (0, 0)
        for number in 0..<60 {
            var bytes = whole
            for _ in 0..<3 {
                // Only the pixel data are changed: the colours before them may have any value.
                let place = Int.random(in: 200..<bytes.count - 2, using: &random)
                bytes[place] = .random(in: 0...255, using: &random)
            }
            do throws(ImageError) {
                let rendered = try Renderer().render(bytes.span, recipes: recipes)
                if rendered.warnings.isEmpty { #expect(rendered.renditions == expected, "\(number) of \(file)") }
                warned += rendered.warnings.isEmpty ? 0 : 1
            } catch {
                refused += 1
            }
        }
        #expect(warned > 0 && refused > 0, "\(warned) with a warning, \(refused) refused")
    }

    @Test("Without a palette, indices are greys from black to white, as many as the codes allow")
    func noColors() throws {
        let greys = (0...255).flatMap { [UInt8](repeating: UInt8($0), count: 3) }
        let codes = [Self.clear] + Self.pixels + [Self.end]
        let without = try decode(gif(codes, flags: 0, palette: []))
        #expect(without == (try decode(gif(codes, palette: greys))))
        // Two colours, in codes for two and for four.
        for (flags, white) in [(0, 255), (1, 85)] as [(UInt8, UInt8)] {
            let two = Array("GIF89a".utf8) + [2, 0, 1, 0, flags, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2]
            // Clear, 0, 1, end: three bits each.
            let pixels = try decode(two + [2, 0b0100_0100, 0b0000_1010, 0, 0x3B])
            #expect(pixels.bytes == [0, 0, 0, white, white, white])
        }
    }

    #if WebP
        @Test("An animation that is cut or damaged after its first frame shows its valid frames, and has a warning")
        func laterFrame() throws {
            let size = PixelSize(width: 20, height: 10)
            let rows = (0..<10).map { y in (0..<20).map { UInt8($0 + 20 * y) } }
            var builder = GIFBuilder(size, palette: Self.palette, transparent: nil, rows: rows)
            let oneFrame = builder.bytes.count
            builder.addFrame(size, rows: rows.reversed())
            let twoFrames = builder.bytes.count
            builder.addFrame(size, rows: rows)
            let recipes = [try Recipe(parsing: "anim=20,webp,animated")]
            let whole = try Renderer().render(builder.file.span, recipes: recipes)
            #expect(whole.warnings == [] && whole.header.frameCount == 3)

            let bytes = builder.bytes
            let cut = try Renderer().render(bytes.span.extracting(0..<twoFrames + 100), recipes: recipes)
            let two = try Renderer().render(bytes.span.extracting(0..<twoFrames), recipes: recipes)
            #expect(cut.warnings == [.truncated] && cut.header.frameCount == 2)
            #expect(cut.renditions == two.renditions && two.warnings == [])

            // The descriptor has 10 bytes, followed by the code size and a block's length; the last codes are damaged.
            var damaged = builder.file
            damaged[oneFrame + 12 + 220] = 0xFF
            damaged[oneFrame + 12 + 221] = 0xFF
            #expect(try Renderer().render(damaged.span, recipes: recipes).warnings == [.damaged])
            damaged[oneFrame + 12 + 60] = 0xFF
            damaged[oneFrame + 12 + 61] = 0xFF
            let error = #expect(throws: ImageError.self) { try Renderer().render(damaged.span, recipes: recipes) }
            #expect(error?.code == .corrupt)
        }
    #endif
}
