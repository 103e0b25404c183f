import TestSupport
import Testing

@testable import Imaging

@Suite("Colours of all kinds become sRGB")
struct ColorTests {
    @Test(
        "The same picture in another encoding has the same colours",
        arguments: [
            ("profile-p3.png", "rgb-8.png"), ("profile-p3-16.png", "rgb-8.png"),
            ("profile-p3-alpha.png", "rgba-8.png"), ("profile-grey.png", "grey-8.png"),
            ("profile-grey-alpha.png", "grey-alpha-8.png"), ("profile-wins.png", "rgb-8.png"),
            ("gamma-and-primaries.png", "rgb-8.png"), ("coded-p3.png", "rgb-8.png"), ("coded-p3-16.png", "rgb-8.png"),
            ("coded-gamma.png", "rgb-8.png"), ("coded-wins.png", "rgb-8.png"), ("coded-twice.png", "rgb-8.png"),
            ("coded-as-unknown.png", "rgb-8.png"), ("coded-matrix-profile.png", "rgb-8.png"),
            ("coded-narrow.png", "rgb-8.png"), ("coded-narrow-16.png", "rgb-8.png"),
        ])
    func sameColors(file: String, reference: String) throws {
        let (image, expected) = (try decode(ImageFixture.bytes(file)), try decode(ImageFixture.bytes(reference)))
        #expect(try #require(image.worstDifference(from: expected)) <= 4)
        #expect(try #require(image.meanDifference(from: expected)) < 0.6)
    }

    @Test(
        "A file that specifies sRGB, or nothing, is not converted",
        arguments: [
            "gamma-of-srgb.png", "primaries-alone.png", "srgb-wins.png", "gamma-0.png", "gamma-short.png",
            "primaries-in-a-line.png", "profile-not-packed.png", "coded-srgb.png", "coded-matrix-srgb.png",
            "coded-short.png", "coded-long.png", "coded-matrix.png", "coded-range-2.png", "coded-behind-palette.png",
        ])
    func untouchedColors(file: String) throws {
        #expect(try decode(ImageFixture.bytes(file)) == decode(ImageFixture.bytes("rgb-8.png")))
    }

    @Test(
        "Planes are converted like pixels",
        arguments: ["profile-p3.jpg", "profile-p3-444.jpg", "profile-p3-odd.jpg", "profile-adobe-rgb.jpg"])
    func planes(file: String) throws {
        let bytes = ImageFixture.bytes(file)
        let header = try ImageHeader.read(bytes.span)
        guard case .by(let transform) = ColorConversion(ColorDescription.readJPEG(bytes.span)) else {
            Issue.record("a profile")
            return
        }
        let size = PixelSize(width: header.size.width / 2 + 1, height: header.size.height / 2 + 1)
        let recipe = try Recipe(name: "half", width: size.width, height: size.height, quality: 100)
        let rendition = try #require(try Renderer().render(bytes.span, recipes: [recipe]).renditions.first)
        var expected = try decode(bytes)
        expected.bytes = transform.converted(expected.bytes)
        let upright = try #require(expected.image.upright(header.orientation).pixels())
        let mean = try #require(try decode(rendition.bytes).meanDifference(from: upright.resampled(to: rendition.size)))
        #expect(mean < 3)
    }

    @Test func aProfileOfSRGBIsNone() throws {
        for file in ["profile-srgb.jpg", "profile-srgb-grey.jpg"] {
            let description = ColorDescription.readJPEG(ImageFixture.bytes(file).span)
            let transform = try #require(ColorTransform(description))
            #expect(transform.isIdentity)
            guard case .none = ColorConversion(description) else {
                Issue.record("\(file) is converted")
                continue
            }
        }
        let p3 = try #require(
            ColorTransform(ColorDescription.readJPEG(ImageFixture.bytes("profile-p3.jpg").span)))
        #expect(!p3.isIdentity)
        // P3's pure green is far outside sRGB; its white is white.
        #expect(p3.converted([0, 255, 0, 255, 255, 255]) == [0, 255, 0, 255, 255, 255])
        #expect(distance([p3.color(200, 80, 60)], ["#d74733"]) <= 2)
    }

    @Test func chunksAreJoinedInOrder() {
        let whole = ColorDescription.readJPEG(ImageFixture.bytes("profile-p3.jpg").span)
        #expect(ColorDescription.readJPEG(ImageFixture.bytes("profile-p3-parts.jpg").span) == whole)
        #expect(ColorDescription.readJPEG(ImageFixture.bytes("baseline-420.jpg").span) == .standard)
    }

    @Test("An image with a damaged profile is rendered, with or without a warning", arguments: [4, 4000])
    func damagedProfiles(count: Int) throws {
        for file in ["profile-p3.jpg", "profile-cmyk.jpg"] {
            guard case .profile(let profile) = ColorDescription.readJPEG(ImageFixture.bytes(file).span) else {
                Issue.record("no profile in \(file)")
                return
            }
            var random = SeededGenerator(seed: 0x7E57_0000_0004)
            for _ in 0..<300 {
                var damaged = profile
                for _ in 0..<Int.random(in: 1...count, using: &random) {
                    damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                guard case .profile = ColorDescription.checked(damaged),
                    let transform = ColorTransform(.profile(damaged))
                else { continue }
                #expect(transform.greyTable().count == 256)
            }
            for count in stride(from: 0, to: profile.count, by: 7) {
                #expect(ColorDescription.checked(Array(profile[..<count])) == .broken)
            }
        }
    }

    @Test func theMeanColor() throws {
        let recipes: [Recipe] = []
        func color(_ file: String) throws -> RGBColor {
            try Renderer().render(ImageFixture.bytes(file).span, recipes: recipes).color
        }
        let shown = try color("rgb-8.png")
        #expect(distance([SIMD3(Int(shown.red), Int(shown.green), Int(shown.blue))], ["#848775"]) <= 2)
        let size = PixelSize(width: 2, height: 1)
        #expect(PixelBuffer(size: size, channels: 1, bytes: [10, 21]).meanColor.description == "#101010")
        #expect(PixelBuffer(size: size, channels: 4).meanColor == .white)
        // A clear red pixel and a solid blue one, premultiplied: the clear one has no weight.
        let pixels: [UInt8] = [0, 0, 0, 0, 0, 0, 200, 255]
        #expect(PixelBuffer(size: size, channels: 4, bytes: pixels).meanColor.description == "#0000c8")
    }
}

extension ColorTransform {
    /// Returns the conversion of one colour.
    fileprivate func color(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> SIMD3<Int> {
        let rgb = converted([red, green, blue]).map { Int($0) }
        return SIMD3(rgb[0], rgb[1], rgb[2])
    }
}
