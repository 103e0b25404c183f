import Testing

@testable import Imaging

@Suite("A file that ends too early is refused, or rendered with a warning if the settings allow it")
struct ToleranceTests {
    private let tolerant = ImageLimits(acceptsTruncated: true)

    private func corners(_ rendered: RenderedImage) throws -> [SIMD3<Int>] {
        try decode(try #require(rendered.renditions.first).bytes).corners
    }

    @Test(
        "The present part of a file is shown, and the missing part is grey",
        arguments: [
            "baseline-420.jpg", "restart-markers.jpg", "arithmetic.jpg", "cmyk-adobe.jpg", "rgb-8.png", "grey-8.png",
        ])
    func upperHalf(file: String) throws {
        let whole = ImageFixture.bytes(file)
        let half = Array(whole[..<(whole.count * 6 / 10)])
        let recipes = [try Recipe(parsing: "whole=400,q95")]
        #expect(throws: ImageError.self) { try Renderer().render(half.span, recipes: recipes) }
        let rendered = try Renderer(limits: tolerant).render(half.span, recipes: recipes)
        #expect(rendered.warnings == [.truncated])
        let (shown, expected) = (try corners(rendered), try corners(Renderer().render(whole.span, recipes: recipes)))
        for corner in 0..<2 {
            let difference = shown[corner] &- expected[corner]
            #expect(max(abs(difference.x), abs(difference.y), abs(difference.z)) <= 6)
        }
        if file.hasSuffix("png") { #expect(distance([shown[2], shown[3]], ["#808080", "#808080"]) <= 3) }
    }

    @Test("A progressive JPEG that is cut is coarser")
    func progressive() throws {
        let whole = ImageFixture.bytes("progressive-420.jpg")
        let rendered = try Renderer(limits: tolerant).render(
            whole.span.extracting(0..<whole.count * 7 / 10), recipes: [try Recipe(parsing: "whole=400,q95")])
        #expect(rendered.warnings == [.truncated])
        #expect(distance(try corners(rendered), ["#dc1e1e", "#1ea03c", "#283cc8", "#f0dc28"]) <= 40)
    }

    @Test("A GIF that is halved needs as few rows as one that is not")
    func halved() throws {
        let whole = ImageFixture.bytes("large-odd.gif")
        let cuts = Array(stride(from: 20, to: 1000, by: 20))
        let accepted = try ["whole=403", "small=40"].map { recipe in
            let recipes = [try Recipe(parsing: recipe)]
            return cuts.filter { count in
                (try? Renderer(limits: tolerant).render(whole.span.extracting(0..<count), recipes: recipes)) != nil
            }
        }
        #expect(accepted[0] == accepted[1])
        #expect(!accepted[0].isEmpty && accepted[0].count < cuts.count, "or there was no difference to be seen")
    }

    @Test("The missing part of an image with alpha is transparent")
    func alpha() throws {
        let whole = ImageFixture.bytes("rgba-8.png")
        let rendered = try Renderer(limits: tolerant).render(
            whole.span.extracting(0..<whole.count / 2), recipes: [try Recipe(parsing: "whole=400,alpha")])
        let image = try decode(try #require(rendered.renditions.first).bytes)
        #expect(image.bytes.last == 0 && image.bytes[3] == 255)
    }

    @Test("All other damage is still refused", arguments: ImageFixture.refused)
    func otherDamage(_ fixture: ImageFixture) throws {
        do throws(ImageError) {
            let rendered = try Renderer(limits: tolerant).render(fixture.bytes.span, recipes: Recipe.defaults)
            #expect(fixture.code == "truncated" && rendered.warnings == [.truncated])
        } catch {
            #expect(error.code.rawValue == fixture.code)
        }
    }

    @Test(
        "A file cut at any byte is refused, or rendered with a warning if a pixel is missing",
        arguments: ["size-24x16.jpg", "size-24x16.png", "size-24x16.gif", "size-5x3-interlaced.png"])
    func cuts(file: String) throws {
        let bytes = ImageFixture.bytes(file)
        let recipe = try Recipe(parsing: "thumb=12x9,cover,alpha")
        var acceptedCount = 0
        for count in 0..<bytes.count {
            do throws(ImageError) {
                let rendered = try Renderer(limits: tolerant).render(
                    bytes.span.extracting(0..<count), recipes: [recipe])
                // The last few bytes after the pixels, an end marker and checksums, are not needed.
                #expect(rendered.warnings == [.truncated] || rendered.warnings == [] && count + 24 > bytes.count)
                acceptedCount += 1
            } catch {
                #expect(["empty", "unsupported_format", "truncated"].contains(error.code.rawValue), "\(error)")
            }
        }
        #expect(acceptedCount > 0)
    }
}
