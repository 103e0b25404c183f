import Testing

@testable import Imaging

@Suite("The cICP chunk of a PNG has the same colours as the same numbers in a HEIC or AVIF")
struct CodedPNGTests {
    private static let files = ImageFixture.whole.filter { fixture in
        fixture.format == "png" && ["coded-", "pq", "hlg"].contains { fixture.file.hasPrefix($0) }
    }

    @Test("Each colour type, depth and range has the colours that another program calculated", arguments: files)
    func corners(_ fixture: ImageFixture) throws {
        let recipe = try Recipe(parsing: "exact=2000,png" + (fixture.alpha == true ? ",alpha" : ""))
        let rendered = try Renderer().render(fixture.bytes.span, recipes: [recipe])
        let shown = try decode(try #require(rendered.renditions.first).bytes)
        // With 8 bits, a step of PQ is one and a half steps of sRGB. Colours outside sRGB were rounded twice.
        let tolerance = fixture.file.contains("8") || fixture.file.contains("palette") ? 4 : 2
        #expect(distance(shown.corners, try #require(fixture.corners)) <= tolerance, "\(shown.corners)")
    }

    @Test(
        "High dynamic range looks the same in every format, depth and layout",
        arguments: [
            ("pq.png", "pq.avif", 2.5), ("pq.png", "pq.heic", 1.5), ("hlg.png", "hlg.avif", 1.5),
            ("hlg.png", "hlg.heic", 1.5), ("hlg.png", "pq.png", 0.5), ("pq-8.png", "pq.png", 1),
            ("pq-narrow.png", "pq.png", 0.2), ("hlg-narrow-8.png", "hlg.png", 1), ("pq-interlaced.png", "pq.png", 0),
            ("pq-screen.png", "pq-peak.png", 0),
        ].filter { isReadable($0.1) })
    func sameLight(file: String, other: String, mean: Double) throws {
        let (image, expected) = (try decode(ImageFixture.bytes(file)), try decode(ImageFixture.bytes(other)))
        let difference = try #require(image.meanDifference(from: expected))
        #expect(difference <= mean, "\(difference)")
    }

    @Test("The maximum luminance that a file specifies is used")
    func peak() throws {
        let (usual, bright) = (try decode(ImageFixture.bytes("pq.png")), try decode(ImageFixture.bytes("pq-peak.png")))
        let difference = try #require(usual.worstDifference(from: bright))
        #expect(difference > 5, "\(difference)")
    }

    @Test(
        "A file with sRGB's range of light and the full range of numbers is decoded like any PNG, by the fast decoder")
    func usualSamples() {
        for file in ["coded-srgb.png", "coded-p3.png", "coded-matrix.png", "rgb-8.png"] {
            #expect(PNGColors(ImageFixture.bytes(file).span).samples == nil, "\(file)")
        }
        for file in ["coded-narrow.png", "pq.png", "hlg.png", "pq-grey-alpha.png"] {
            #expect(PNGColors(ImageFixture.bytes(file).span).samples != nil, "\(file)")
        }
        let srgb = ImageFixture.bytes("coded-srgb.png")
        #expect(PNGColors(srgb.span).description(srgb.span) == .standard)
    }

    @Test("An image that is cut is refused, or rendered with a warning if the settings allow it")
    func truncated() throws {
        let whole = ImageFixture.bytes("pq.png")
        let half = Array(whole[..<(whole.count * 6 / 10)])
        let recipes = [try Recipe(parsing: "whole=400,png")]
        let error = #expect(throws: ImageError.self) { try Renderer().render(half.span, recipes: recipes) }
        #expect(error?.code == .truncated)
        let rendered = try Renderer(limits: ImageLimits(acceptsTruncated: true)).render(half.span, recipes: recipes)
        #expect(rendered.warnings == [.truncated])
        let shown = try decode(try #require(rendered.renditions.first).bytes).corners
        #expect(distance(Array(shown.prefix(2)), ["#921010", "#106925"]) <= 2)
    }

    @Test("An image that is held as a whole is held at its depth, and this size counts")
    func memory() throws {
        let bytes = ImageFixture.bytes("pq-interlaced.png")
        let need = 96 * 72 * 6
        func render(maxBytes: Int) throws(ImageError) -> RenderedImage {
            try Renderer(limits: ImageLimits(maxWorkingBytes: maxBytes)).render(bytes.span, recipes: [])
        }
        #expect(try render(maxBytes: need).warnings.isEmpty)
        let error = #expect(throws: ImageError.self) { try render(maxBytes: need - 1) }
        #expect(error?.code == .tooMuchMemory)
    }

    @Test("An image with a damaged chunk is rendered, with or without a warning")
    func damaged() throws {
        let original = ImageFixture.bytes("coded-p3.png")
        let chunk = try #require(original.indices.first { original.span.starts(with: "cICP", at: $0) })
        for value in UInt8.min...UInt8.max {
            for place in 4..<8 {
                var bytes = original
                bytes[chunk + place] = value
                bytes.repairChecksums()
                let recipes = [try Recipe(parsing: "small=24")]
                let rendered = try Renderer().render(bytes.span, recipes: recipes)
                let isBad = place == 6 && value != 0 || place == 7 && value > 1
                #expect(rendered.warnings == (isBad ? [.profileIgnored] : []), "\(place): \(value)")
            }
        }
    }
}
