import Foundation
import Testing

@testable import Imaging

struct MetadataTests {
    @Test("Eight orientations in both byte orders give one image", arguments: ["ii", "mm"])
    func orientations(order: String) throws {
        let recipes = [
            try Recipe(parsing: "whole=96"), try Recipe(parsing: "small=40"), try Recipe(parsing: "tile=24x30,cover"),
        ]
        let reference = try Renderer().render(ImageFixture.bytes("orientation-1-\(order).jpg").span, recipes: recipes)
        for orientation in Orientation.allCases {
            let bytes = ImageFixture.bytes("orientation-\(orientation.rawValue)-\(order).jpg")
            let rendered = try Renderer().render(bytes.span, recipes: recipes)
            #expect(rendered.header.orientation == orientation)
            #expect(rendered.renditions.map(\.size) == reference.renditions.map(\.size))
            for (rendition, expected) in zip(rendered.renditions, reference.renditions) {
                let image = try decode(rendition.bytes)
                let mean = try #require(image.meanDifference(from: try decode(expected.bytes)))
                #expect(mean < 4, "\(orientation) \(rendition.recipe.name)")
            }
        }
    }

    @Test(
        "A JPEG whose coefficients are turned without loss, with the matching tag, gives the same image",
        arguments: Orientation.allCases)
    func turnedCoefficients(_ orientation: Orientation) throws {
        let recipes = try ["whole=160,q100", "half=80,q100", "small=40,q100", "tile=24x30,cover,q100"].map {
            try Recipe(parsing: $0)
        }
        let (turned, plain) = (
            ImageFixture.bytes("rotation-\(orientation.rawValue).jpg"), ImageFixture.bytes("rotation-1.jpg")
        )
        let rendered = try Renderer().render(turned.span, recipes: recipes)
        let expected = try Renderer().render(plain.span, recipes: recipes)
        #expect(rendered.header.orientation == orientation)
        for (rendition, other) in zip(rendered.renditions, expected.renditions) {
            #expect(rendition.size == other.size)
            let worst = try decode(rendition.bytes).worstDifference(from: try decode(other.bytes))
            // Transforms and resampling are exact, except for the order of rounding.
            #expect(try #require(worst) <= 6, "\(rendition.recipe)")
        }
    }

    @Test(
        "An image whose pixels are turned without loss, with the matching tag, gives the same image",
        arguments: Orientation.allCases)
    func turnedPixels(_ orientation: Orientation) throws {
        let upright = try decode(ImageFixture.bytes("size-97x61.png"))
        let storedSize = orientation.applied(to: upright.size)
        var stored = PixelBuffer(size: storedSize, channels: 3)
        for y in 0..<upright.size.height {
            for x in 0..<upright.size.width {
                let position = orientation.storedPosition(x: x, y: y, in: storedSize)
                let (source, target) = (
                    (y * upright.size.width + x) * 3, (position.y * storedSize.width + position.x) * 3
                )
                stored.bytes[target..<target + 3] = upright.bytes[source..<source + 3]
            }
        }
        let tagged = inserting(orientation, into: try PNGCodec().encode(stored, EncodingOptions()))
        let recipes = [
            try Recipe(parsing: "whole=97,q100"), try Recipe(parsing: "small=40,q100"),
            try Recipe(parsing: "tile=24x30,cover,q100"),
        ]
        let rendered = try Renderer().render(tagged.span, recipes: recipes)
        let expected = try Renderer().render(ImageFixture.bytes("size-97x61.png").span, recipes: recipes)
        #expect(rendered.header.orientation == orientation)
        for (rendition, other) in zip(rendered.renditions, expected.renditions) {
            let worst = try decode(rendition.bytes).worstDifference(from: try decode(other.bytes))
            // Rows are blended before columns, and rounded in between.
            #expect(try #require(worst) <= 4, "\(rendition.recipe)")
        }
        #expect(rendered.color == expected.color)
    }

    /// Returns the PNG with an `eXIf` chunk after the header. Its checksum does not matter, as for all ancillary
    /// chunks.
    private func inserting(_ orientation: Orientation, into png: [UInt8]) -> [UInt8] {
        let tiff: [UInt8] =
            Array("MM".utf8) + [
                0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0,
            ]
            + [0, 0, 0, 0]
        return png[..<33] + [0, 0, 0, UInt8(tiff.count)] + Array("eXIf".utf8) + tiff + [0, 0, 0, 0] + png[33...]
    }

    @Test func turningIsItsOwnTable() throws {
        let stored = PixelSize(width: 3, height: 2)
        // Rows from the top: 1 2 3 / 4 5 6.
        let image = PixelBuffer(size: stored, channels: 1, bytes: [1, 2, 3, 4, 5, 6])
        let expected: [Orientation: [UInt8]] = [
            .up: [1, 2, 3, 4, 5, 6], .upMirrored: [3, 2, 1, 6, 5, 4], .down: [6, 5, 4, 3, 2, 1],
            .downMirrored: [4, 5, 6, 1, 2, 3], .leftMirrored: [1, 4, 2, 5, 3, 6], .right: [4, 1, 5, 2, 6, 3],
            .rightMirrored: [6, 3, 5, 2, 4, 1], .left: [3, 6, 2, 5, 1, 4],
        ]
        for (orientation, bytes) in expected {
            let turned = try #require(image.image.upright(orientation).pixels())
            #expect(turned.bytes == bytes, "\(orientation)")
        }
    }

    @Test(
        "C14: a rendition contains no metadata of the original",
        arguments: ["exif-gps.jpg", "text.png", "comment.gif", "exif-gps.webp", "exif-gps.heic"].filter(isReadable))
    func secrets(file: String) throws {
        let bytes = ImageFixture.bytes(file)
        let secrets = ["TINTYPE-SECRET-PLACE", "Exif", "ICC_PROFILE", "http://ns.adobe.com", "eXIf", "tEXt"]
        #expect(Data(bytes).range(of: Data("TINTYPE-SECRET-PLACE".utf8)) != nil)
        let recipes = Recipe.defaults + [try Recipe(parsing: "kept=64,alpha")]
        for rendition in try Renderer().render(bytes.span, recipes: recipes).renditions {
            for secret in secrets {
                #expect(
                    Data(rendition.bytes).range(of: Data(secret.utf8)) == nil, "\(rendition.recipe.name): \(secret)")
            }
        }
    }

    @Test(
        arguments: zip(
            [
                "exif-gps.jpg", "exif-long.jpg", "exif-second-segment.jpg", "exif-value-9.jpg", "exif-loop.jpg",
                "exif-offset-outside.jpg", "exif-cut.jpg", "exif-6.png", "exif-behind-pixels.png",
                "xmp-orientation.png",
            ],
            [6, 6, 6, 1, 1, 1, 1, 6, 1, 1]))
    func exifIsReadWithCare(file: String, orientation: Int) throws {
        #expect(try ImageHeader.read(ImageFixture.bytes(file).span).orientation.rawValue == orientation)
    }

    @Test func everyCutOfAnEXIFStructureIsSafe() throws {
        let bytes = ImageFixture.bytes("exif-gps.jpg")
        let start = try #require(Data(bytes).range(of: Data("Exif\0\0".utf8))?.upperBound)
        let tiff = Array(bytes[start..<start + 200])
        #expect(EXIF.orientation(tiff.span) == .right)
        for count in 0..<tiff.count { _ = EXIF.orientation(tiff.span.extracting(0..<count)) }
        for index in 0..<60 {
            for bit in 0..<8 {
                var flipped = tiff
                flipped[index] ^= 1 << bit
                _ = EXIF.orientation(flipped.span)
            }
        }
    }
}

extension PixelBuffer {
    /// Returns the mean difference of the channels; nil if the images differ in size or channels.
    func meanDifference(from other: PixelBuffer) -> Double? {
        guard size == other.size, channels == other.channels else { return nil }
        return zip(bytes, other.bytes).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(bytes.count)
    }
}
