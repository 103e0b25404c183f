import Foundation
import Testing

@testable import Imaging

struct RendererTests {
    @Test(
        "Many threads give the same bytes, also if they share a colour transform",
        arguments: ["progressive-420.jpg", "profile-cmyk.jpg"])
    func manyThreads(file: String) async throws {
        let bytes = ImageFixture.bytes(file)
        let expected = try Renderer().render(bytes.span, recipes: Recipe.defaults)
        try await withThrowingTaskGroup(of: RenderedImage.self) { group in
            for _ in 0..<16 { group.addTask { try Renderer().render(bytes.span, recipes: Recipe.defaults) } }
            for try await rendered in group { #expect(rendered == expected) }
        }
    }

    @Test func backgroundIsWhereTheImageIsTransparent() throws {
        let recipes = [
            try Recipe(parsing: "white=96"), try Recipe(parsing: "blue=96,background=#1020f0"),
            try Recipe(parsing: "kept=96,alpha"),
        ]
        let renditions = try Renderer().render(ImageFixture.bytes("rgba-8.png").span, recipes: recipes).renditions
        #expect(renditions.map(\.format) == [.jpeg, .jpeg, .png])
        // The hole left of the arrow's shaft.
        let colors = try renditions.map { try decode($0.bytes).color(x: 38, y: 42) }
        #expect(distance([colors[0], colors[1]], ["#ffffff", "#1020f0"]) <= 14)
        #expect(try decode(renditions[2].bytes).bytes[(42 * 96 + 38) * 4 + 3] == 0)
    }

    @Test func transparentColorsDoNotBleed() throws {
        // Opaque red next to transparent green: no green may appear at any size.
        let size = PixelSize(width: 64, height: 64)
        let pixels = (0..<4096).flatMap { $0 % 64 < 31 ? [200, 0, 0, 255] : [0, 255, 0, 0] as [UInt8] }
        let encoded = try PNGCodec().encode(PixelBuffer(size: size, channels: 4, bytes: pixels), EncodingOptions())
        let rendition = try #require(
            try Renderer().render(encoded.span, recipes: [try Recipe(parsing: "r=17,alpha")]).renditions.first)
        let image = try decode(rendition.bytes)
        #expect((0..<image.size.pixelCount).allSatisfy { image.bytes[$0 * 4 + 1] == 0 })
    }

    @Test func noRecipeStillGivesAHeaderAndAPlaceholder() throws {
        let rendered = try Renderer().render(ImageFixture.bytes("plain.gif").span, recipes: [])
        #expect(rendered.renditions.isEmpty)
        #expect(rendered.placeholder.count > 15)
    }

    @Test func coverTakesTheMiddle() throws {
        // 160×120, covered by 40×40: the corner squares' outer halves are cut off on the left and right.
        let recipe = try Recipe(parsing: "tile=40,cover,q95")
        let rendition = try #require(
            try Renderer().render(ImageFixture.bytes("baseline-444.jpg").span, recipes: [recipe]).renditions.first)
        let image = try decode(rendition.bytes)
        #expect(image.size == PixelSize(width: 40, height: 40))
        let corners = [
            image.color(x: 1, y: 3), image.color(x: 38, y: 3), image.color(x: 1, y: 36),
            image.color(x: 38, y: 36),
        ]
        #expect(distance(corners, ["#dc1e1e", "#1ea03c", "#283cc8", "#f0dc28"]) <= 40)
        let middle = image.color(x: 20, y: 18)
        #expect(distance([middle], ["#ffffff"]) <= 20)
    }

    @Test(arguments: photos.filter { $0.pathExtension != "md" && isReadable($0.lastPathComponent) })
    func realPhotos(_ photo: URL) throws {
        let bytes = Array(try Data(contentsOf: photo))
        let recipes = [
            try Recipe(parsing: "small=320,q90"), try Recipe(parsing: "tiny=100,q90"),
            try Recipe(parsing: "tile=160,cover"),
        ]
        let rendered = try Renderer().render(bytes.span, recipes: recipes)
        for rendition in rendered.renditions {
            let header = try ImageHeader.read(rendition.bytes.span)
            #expect(header.size == rendition.recipe.fittedSize(for: rendered.header.size))
            #expect(header.orientation == .up)
        }
        let (small, tiny) = (try decode(rendered.renditions[0].bytes), try decode(rendered.renditions[1].bytes))
        let mean = try #require(tiny.meanDifference(from: small.resampled(to: tiny.size)))
        #expect(mean < 8, "two renditions show one picture")
    }
}
