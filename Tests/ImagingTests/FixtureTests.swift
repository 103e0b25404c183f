import Testing

@testable import Imaging

@Suite("P4: images are recognised by their bytes, and rendered or refused with a reason")
struct FixtureTests {
    @Test func theTableIsThere() {
        #expect(ImageFixture.whole.count > 90)
        #expect(ImageFixture.refused.count > 45)
    }

    @Test(arguments: ImageFixture.whole)
    func headerIsRead(_ fixture: ImageFixture) throws {
        let header = try ImageHeader.read(fixture.bytes.span)
        #expect(header.format.rawValue == fixture.format)
        #expect(header.size == fixture.size)
        #expect(header.hasAlpha == fixture.alpha)
        #expect(header.frameCount == fixture.frames)
    }

    @Test(arguments: ImageFixture.whole)
    func everyRenditionShowsTheImage(_ fixture: ImageFixture) throws {
        let recipes = Recipe.defaults + [try Recipe(parsing: "half=\((fixture.width ?? 1) / 2 + 1)x9999,q95")]
        let rendered = try Renderer().render(fixture.bytes.span, recipes: recipes)
        #expect(rendered.renditions.map(\.recipe) == recipes)
        #expect(!rendered.placeholder.isEmpty)
        #expect(rendered.warnings.map(\.rawValue) == fixture.warnings ?? [])
        for rendition in rendered.renditions {
            #expect(rendition.size == rendition.recipe.fittedSize(for: fixture.size))
            #expect(rendition.format == .jpeg)
            let image = try decode(rendition.bytes)
            #expect(image.size == rendition.size)
            // A corner's square must be some pixels wide, or JPEG's chroma blocks extend over its edges.
            let areCornersWhole =
                rendition.recipe.fit == .inside && min(image.size.width, image.size.height) >= 32
            if let corners = fixture.corners, areCornersWhole {
                #expect(distance(image.corners, corners) <= 18, "\(rendition.recipe)")
            }
        }
    }

    @Test(
        arguments: ImageFixture.whole.filter {
            ["png", "gif"].contains($0.format) && $0.corners != nil && $0.size != PixelSize(width: 5, height: 3)
        })
    func losslessImagesKeepTheirColors(_ fixture: ImageFixture) throws {
        let corners = try #require(fixture.corners)
        let recipe = try Recipe(parsing: "exact=2000,alpha")
        let rendition = try #require(try Renderer().render(fixture.bytes.span, recipes: [recipe]).renditions.first)
        #expect(rendition.format == (fixture.alpha == true ? .png : .jpeg))
        #expect(try ImageHeader.read(rendition.bytes.span).hasAlpha == fixture.alpha)
        // The colours of a profile were rounded twice.
        let tolerance = fixture.file.contains("profile") ? 3 : 1
        if fixture.alpha == true { #expect(distance(try decode(rendition.bytes).corners, corners) <= tolerance) }
    }

    @Test(arguments: ImageFixture.refused)
    func brokenImagesAreRefused(_ fixture: ImageFixture) {
        let error = #expect(throws: ImageError.self) {
            _ = try Renderer().render(fixture.bytes.span, recipes: Recipe.defaults)
        }
        #expect(error?.code.rawValue == fixture.code, "\(error?.message ?? "")")
        #expect(error?.message.contains(fixture.says ?? "") == true, "\(error?.message ?? "")")
        #expect(error?.hint.isEmpty == false)
        #expect(error?.isTransient == false)
    }

    @Test(arguments: ["progressive-cmyk.jpg", "exif-gps.jpg", "rgba-16-interlaced.png", "transparent-interlaced.gif"])
    func theSameBytesGiveTheSameBytes(file: String) throws {
        let first = try Renderer().render(ImageFixture.bytes(file).span, recipes: Recipe.defaults)
        #expect(try Renderer().render(ImageFixture.bytes(file).span, recipes: Recipe.defaults) == first)
    }

    /// Interlaced files, and the same files without interlacing.
    private static let interlaced = ImageFixture.whole.map(\.file).filter { $0.contains("-interlaced") }
        .map { ($0, $0.replacing("-interlaced", with: "")) }
        .filter { _, plain in ImageFixture.whole.contains { $0.file == plain } }

    @Test("Interlacing changes no pixel", arguments: interlaced)
    func interlacing(file: String, plain: String) throws {
        let recipes = [try Recipe(parsing: "thumb=40x40,alpha")]
        let expected = try Renderer().render(ImageFixture.bytes(plain).span, recipes: recipes)
        #expect(try Renderer().render(ImageFixture.bytes(file).span, recipes: recipes) == expected)
    }

    @Test func formatsHaveNames() {
        #expect(
            ImageFormat.allCases.map(\.contentType) == [
                "image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/avif",
            ])
        #expect(ImageFormat.allCases.map(\.fileExtension) == ["jpg", "png", "gif", "webp", "heic", "avif"])
    }
}
