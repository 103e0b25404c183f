import Foundation
import TestSupport
import Testing

@testable import Imaging

struct EncodingTests {
    @Test(
        "A recipe decides whether a rendition is progressive",
        arguments: ["baseline-420.jpg", "grey.jpg", "rgba-8.png"])
    func progressive(file: String) throws {
        let recipes = [try Recipe(parsing: "plain=90,q80"), try Recipe(parsing: "slow=90,q80,progressive")]
        let renditions = try Renderer().render(ImageFixture.bytes(file).span, recipes: recipes).renditions
        #expect(renditions.map { $0.bytes.contains(marker: 0xC2) } == [false, true])
        #expect(try decode(renditions[0].bytes) == decode(renditions[1].bytes))
    }

    @Test(
        "Chroma has the sampling that a recipe specifies, for any picture",
        arguments: [
            ("baseline-444.jpg", "a=90,subsampling=444", [0x11, 0x11, 0x11]),
            ("baseline-420.jpg", "a=90,subsampling=444", [0x11, 0x11, 0x11]),
            ("baseline-444.jpg", "a=90", [0x22, 0x11, 0x11]),
            ("progressive-444.jpg", "a=400,progressive,subsampling=444", [0x11, 0x11, 0x11]),
            ("rgb-8.png", "a=90,subsampling=444", [0x11, 0x11, 0x11]),
            ("rgb-8.png", "a=90,subsampling=420", [0x22, 0x11, 0x11]), ("grey.jpg", "a=90,subsampling=444", [0x11]),
            ("photo.jpg", "a=90,cover", [0x22, 0x11, 0x11]),
        ] as [(String, String, [UInt8])])
    func subsampling(file: String, recipe: String, factors: [UInt8]) throws {
        let recipes = [try Recipe(parsing: recipe), try Recipe(parsing: "plain=120,q95"), try Recipe(parsing: "l=110")]
        let rendered = try Renderer().render(ImageFixture.bytes(file).span, recipes: recipes)
        #expect(rendered.renditions[0].bytes.samplingFactors == factors)
        let (shown, plain) = (try decode(rendered.renditions[0].bytes), try decode(rendered.renditions[1].bytes))
        if recipes[0].fit == .inside {
            let size = PixelSize(width: 8, height: 8)
            #expect(shown.resampled(to: size).worstDifference(from: plain.resampled(to: size)) ?? 255 <= 12)
        }
    }

    /// A white image with letters in red and blue, whose strokes are one pixel wide.
    private static let screenshot: PixelBuffer = {
        var image = PixelBuffer(size: PixelSize(width: 320, height: 200), channels: 3)
        for y in 0..<200 {
            for x in 0..<320 {
                let isStroke = y % 20 < 9 && x % 7 < 5 && (x % 7 == y % 5 || y % 20 % 4 == 0 && x % 3 > 0)
                let color: [UInt8] = !isStroke ? [255, 255, 255] : y / 20 % 2 == 0 ? [200, 0, 0] : [0, 0, 238]
                for channel in 0..<3 { image.bytes[(y * 320 + x) * 3 + channel] = color[channel] }
            }
        }
        return image
    }()

    @Test("Coloured text on a plain ground gets full chroma by default")
    func screenshots() throws {
        let png = try PNGCodec().encode(EncodingTests.screenshot, EncodingOptions())
        let texts = ["auto=320,q90", "full=320,q90,subsampling=444", "halved=320,q90,subsampling=420"]
        let renditions = try Renderer().render(png.span, recipes: try texts.map(Recipe.init(parsing:))).renditions
        #expect(renditions[0].bytes == renditions[1].bytes)
        let errors = try renditions.map { rendition in
            zip(try decode(rendition.bytes).bytes, EncodingTests.screenshot.bytes)
                .reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) } / Double(EncodingTests.screenshot.bytes.count)
        }
        #expect(errors[0] * 4 < errors[2], "\(errors)")
    }

    @Test("Photos and images without a plain ground keep halved chroma")
    func photosAsPixels() throws {
        var noise = EncodingTests.screenshot
        var random = SeededGenerator(seed: 0x7E57_0000_0050)
        for index in noise.bytes.indices { noise.bytes[index] ^= UInt8.random(in: 0...3, using: &random) }
        var files = [ImageFixture.bytes("photo.jpg")]
        files += try photos.filter { $0.lastPathComponent.hasPrefix("Apple") }.map { try Array(Data(contentsOf: $0)) }
        let images = try files.flatMap { bytes in
            let recipes = [try Recipe(parsing: "a=640,png"), try Recipe(parsing: "b=160,png")]
            return try Renderer().render(bytes.span, recipes: recipes).renditions.map { try decode($0.bytes) }
        }
        for image in images + [noise] { #expect(!image.needsFullChroma) }
        #expect(EncodingTests.screenshot.needsFullChroma)
    }

    @Test("A PNG shows an opaque image, and one whose alpha is kept or dropped")
    func png() throws {
        for (file, recipe, hasAlpha) in [
            ("baseline-444.jpg", "p=160,png", false), ("grey.jpg", "p=160,png", false),
            ("rgb-8.png", "p=96,png", false),
            ("rgba-8.png", "p=96,png", false), ("rgba-8.png", "p=96,png,alpha", true),
        ] {
            let bytes = ImageFixture.bytes(file)
            let rendered = try Renderer().render(bytes.span, recipes: [try Recipe(parsing: recipe)])
            let rendition = try #require(rendered.renditions.first)
            #expect(rendition.format == .png)
            #expect(try ImageHeader.read(rendition.bytes.span).hasAlpha == hasAlpha)
            let (shown, original) = (try decode(rendition.bytes), try decode(bytes))
            if shown.channels == original.channels {
                #expect(shown.worstDifference(from: original) ?? 255 <= 3, "\(file)")
            }
        }
    }

    @Test("Full chroma is never created from an image with halved chroma, unless that image is large enough")
    func fullChromaSources() {
        func target(_ side: Int, _ chroma: ResizeTarget.Chroma) -> ResizeTarget {
            let size = PixelSize(width: side, height: side)
            return ResizeTarget(scaled: size, cropped: size, chroma: chroma)
        }
        let targets = [
            target(1000, .halved), target(500, .full), target(400, .full), target(390, .full), target(200, .halved),
        ]
        let sources = ResizedImages.levels(of: targets).map { $0.source?.scaled.width }
        #expect(sources == [nil, nil, 500, 500, 390])
    }

    #if AVIF && HEIF
        @Test(
            "An AVIF shows the picture with the specified chroma, and with alpha if the recipe specifies it",
            arguments: [
                ("baseline-420.jpg", "a=90,q90,avif", false), ("grey.jpg", "a=90,q90,avif", false),
                ("baseline-444.jpg", "a=91,q90,avif,subsampling=444", false), ("rgb-8.png", "a=95,q90,avif", false),
                ("rgba-8.png", "a=96,q90,avif", false), ("rgba-8.png", "a=96,q90,avif,alpha", true),
                ("size-97x61.jpg", "a=97,q90,avif", false), ("profile-p3.jpg", "a=80,q90,avif", false),
                ("orientation-6-ii.jpg", "a=60,q90,avif", false), ("size-1x1.png", "a=60,q90,avif", false),
            ])
        func avif(file: String, recipe: String, hasAlpha: Bool) throws {
            let recipe = try Recipe(parsing: recipe)
            let plain = try Recipe(parsing: "p=\(recipe.width),png" + (hasAlpha ? ",alpha" : ""))
            let rendered = try Renderer().render(ImageFixture.bytes(file).span, recipes: [recipe, plain])
            let (avif, png) = (rendered.renditions[0], rendered.renditions[1])
            #expect(avif.format == .avif)
            let header = try ImageHeader.read(avif.bytes.span)
            #expect(header.format == .avif && header.size == png.size && header.hasAlpha == hasAlpha)
            let (shown, expected) = (try decode(avif.bytes), try decode(png.bytes))
            #expect(shown.size == png.size)
            #expect(distance(shown.corners, expected.corners.map(\.hexadecimal)) <= 18)
            if hasAlpha {
                for place in [(38, 42), (4, 4)] {
                    let index = (place.1 * 96 + place.0) * 4 + 3
                    #expect(abs(Int(shown.bytes[index]) - Int(expected.bytes[index])) <= 8)
                }
            }
        }

        @Test("The same image always gives the same AVIF, and a better quality gives a larger one")
        func avifIsRepeatable() throws {
            let bytes = ImageFixture.bytes("photo.jpg")
            let recipes = try ["a=320,q60,avif", "b=320,q60,avif", "c=320,q90,avif", "d=320,q60"].map {
                try Recipe(parsing: $0)
            }
            let counts = try Renderer().render(bytes.span, recipes: recipes).renditions.map(\.bytes)
            #expect(counts[0] == counts[1] && counts[0].count < counts[2].count && counts[0].count < counts[3].count)
        }
    #endif

    #if WebP
        @Test(
            "A WebP shows the picture",
            arguments: ImageFixture.whole.filter {
                !["photo.jpg", "thumbnail.heic", "thumbnail-320.heic"].contains($0.file)
            })
        func webp(_ fixture: ImageFixture) throws {
            let recipe = try Recipe(parsing: "w=64,q95,webp")
            let rendered = try Renderer().render(fixture.bytes.span, recipes: [recipe])
            let rendition = try #require(rendered.renditions.first)
            #expect(rendition.format == .webp)
            #expect(rendition.size == recipe.fittedSize(for: fixture.size))
            let header = try ImageHeader.read(rendition.bytes.span)
            #expect(header.size == rendition.size)
            #expect(!header.hasAlpha)
            let image = try decode(rendition.bytes)
            if let corners = fixture.corners, min(rendition.size.width, rendition.size.height) >= 32 {
                #expect(distance(image.corners, corners) <= 18)
            }
        }

        @Test("Alpha is kept in a WebP if the recipe specifies it", arguments: ["rgba-8.png", "lossy-alpha.webp"])
        func alpha(file: String) throws {
            let recipe = try Recipe(parsing: "w=96,q90,webp,alpha")
            let rendition = try #require(
                try Renderer().render(ImageFixture.bytes(file).span, recipes: [recipe]).renditions.first)
            #expect(try ImageHeader.read(rendition.bytes.span).hasAlpha)
            // The hole left of the arrow's shaft, and a corner.
            let image = try decode(rendition.bytes)
            #expect(image.bytes[(42 * 96 + 38) * 4 + 3] == 0)
            #expect(image.bytes[(4 * 96 + 4) * 4 + 3] == 255)
        }

        @Test("A JPEG's planes are converted directly to a WebP's planes, with the same colours over the whole range")
        func range() throws {
            let size = PixelSize(width: 64, height: 64)
            let ramp = PixelBuffer(size: size, channels: 1, bytes: (0..<4096).map { UInt8($0 % 64 * 4) })
            let encoded = try WebPCodec().encode(ramp.image, EncodingOptions(quality: 100))
            let decoded = try decode(encoded)
            let worst = (0..<4096).map { abs(Int(decoded.bytes[$0 * 3 + 1]) - Int(ramp.bytes[$0])) }.max() ?? 0
            #expect(worst <= 4)
        }
    #endif
}

extension SIMD3<Int> {
    fileprivate var hexadecimal: String {
        "#" + [x, y, z].map { String($0 + 256, radix: 16).dropFirst() }.joined()
    }
}

extension [UInt8] {
    /// The sampling factors of a JPEG's components.
    fileprivate var samplingFactors: [UInt8] {
        var offset = 2
        while let (marker, payload) = try? JPEGHeader.nextSegment(span, &offset) {
            guard [0xC0, 0xC2].contains(marker) else { continue }
            return (0..<Int(self[payload.lowerBound + 5])).map { self[payload.lowerBound + 7 + $0 * 3] }
        }
        return []
    }

    /// Whether the bytes contain a JPEG marker.
    fileprivate func contains(marker: UInt8) -> Bool { zip(self, dropFirst()).contains { $0 == 0xFF && $1 == marker } }
}
