import Testing

@testable import Imaging

struct EncodingTests {
    @Test("A recipe says as what a rendition is written", arguments: ["baseline-420.jpg", "grey.jpg", "rgba-8.png"])
    func progressive(file: String) throws {
        let recipes = [try Recipe(parsing: "plain=90,q80"), try Recipe(parsing: "slow=90,q80,progressive")]
        let renditions = try Renderer().render(Fixture.bytes(file).span, recipes: recipes).renditions
        #expect(renditions.map { $0.bytes.contains(marker: 0xC2) } == [false, true])
        #expect(try decode(renditions[0].bytes) == decode(renditions[1].bytes))
    }

    #if WebP
        @Test(
            "A WebP shows the picture",
            arguments: Fixture.whole.filter { !["photo.jpg", "thumbnail.heic"].contains($0.file) })
        func webp(_ fixture: Fixture) throws {
            let recipe = try Recipe(parsing: "w=64,q95,webp")
            let rendered = try Renderer().render(fixture.bytes.span, recipes: [recipe])
            let rendition = try #require(rendered.renditions.first)
            #expect(rendition.format == .webp)
            #expect(rendition.size == recipe.fittedSize(for: fixture.size))
            let header = try ImageHeader.read(rendition.bytes.span)
            #expect(header.size == rendition.size)
            #expect(!header.hasAlpha)
            let picture = try decode(rendition.bytes)
            guard let corners = fixture.corners, min(rendition.size.width, rendition.size.height) >= 32 else { return }
            #expect(distance(picture.corners, corners) <= 18)
        }

        @Test("Alpha is kept in a WebP where the recipe says so", arguments: ["rgba-8.png", "lossy-alpha.webp"])
        func alpha(file: String) throws {
            let recipe = try Recipe(parsing: "w=96,q90,webp,alpha")
            let rendition = try #require(
                try Renderer().render(Fixture.bytes(file).span, recipes: [recipe]).renditions.first)
            #expect(try ImageHeader.read(rendition.bytes.span).hasAlpha)
            // Left of the arrow's shaft, in the hole; and in a corner.
            let picture = try decode(rendition.bytes)
            #expect(picture.bytes[(42 * 96 + 38) * 4 + 3] == 0)
            #expect(picture.bytes[(4 * 96 + 4) * 4 + 3] == 255)
        }

        @Test("A JPEG's planes become a WebP's without a detour: the same colours, all along the range")
        func range() throws {
            let size = PixelSize(width: 64, height: 64)
            let ramp = PixelBuffer(size: size, channels: 1, bytes: (0..<4096).map { UInt8($0 % 64 * 4) })
            let encoded = try Encoder.webp(ramp.picture, quality: 100)
            let decoded = try decode(encoded)
            let worst = (0..<4096).map { abs(Int(decoded.bytes[$0 * 3 + 1]) - Int(ramp.bytes[$0])) }.max() ?? 0
            #expect(worst <= 4)
        }
    #endif
}

extension [UInt8] {
    /// Whether a JPEG marker is in it.
    fileprivate func contains(marker: UInt8) -> Bool { zip(self, dropFirst()).contains { $0 == 0xFF && $1 == marker } }
}
