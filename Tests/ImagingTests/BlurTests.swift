import TestSupport
import Testing

@testable import Imaging

@Suite("A blurred rendition has soft patches of colour, and nothing else of the photo")
struct BlurTests {
    private func image(_ size: PixelSize, _ model: ColorModel, _ value: (Int, Int) -> UInt8) -> PlanarImage {
        var samples: [UInt8] = []
        for y in 0..<size.height { for x in 0..<size.width { samples.append(value(x, y)) } }
        return PlanarImage(
            colorModel: model, size: size,
            planes: (0..<model.planeCount).map { _ in Plane(layout: PlaneLayout(size), samples: samples) })
    }

    @Test("Differences within a patch leave no trace: text and stripes become one grey")
    func details() {
        let size = PixelSize(width: 320, height: 240)
        let stripes = image(size, .rgb) { x, _ in x % 4 < 2 ? 0 : 255 }.blurred()
        for plane in stripes.planes { #expect(plane.samples.allSatisfy { (126...129).contains($0) }) }
        // Two photos with the same means have the same blurred image.
        let others = image(size, .rgb) { _, y in y % 2 == 0 ? 0 : 255 }.blurred()
        #expect(others.planes.map(\.samples.first) == stripes.planes.map(\.samples.first))
    }

    @Test("Neighbouring pixels are never far apart, and large shapes remain")
    func shapes() {
        let half = image(PixelSize(width: 200, height: 200), .grey) { x, _ in x < 100 ? 0 : 255 }.blurred()
        let samples = half.planes[0].samples
        #expect(samples[0] < 10 && samples[199] > 245)
        for x in 1..<200 { #expect(abs(Int(samples[x]) - Int(samples[x - 1])) <= 20) }
    }

    @Test("Every size has at most 8 patches a side, each of at least 4 pixels, even for an image of one pixel")
    func sizes() {
        for (width, height) in [(1, 1), (3, 1000), (8, 8), (33, 31), (1000, 2)] {
            let size = PixelSize(width: width, height: height)
            let blurred = image(size, .rgba) { x, y in UInt8(truncatingIfNeeded: x &* 37 &+ y &* 91) }.blurred()
            #expect(blurred.size == size && blurred.planes.allSatisfy { $0.samples.count == size.pixelCount })
            // Along a row, the values change direction at most as often as there are patches.
            let row = blurred.planes[0].samples.prefix(width).map(Int.init)
            let steps = zip(row.dropFirst(), row).map { $0 - $1 }.filter { $0 != 0 }.map { $0.signum() }
            #expect(zip(steps.dropFirst(), steps).filter { $0 != $1 }.count <= 8)
        }
    }

    @Test("Every fixture format is rendered in every encoding, still and in the same size, with a blurred preview")
    func encodings() throws {
        for fixture in ["photo.jpg", "baseline-420.jpg"] {
            let bytes = try Fixture.bytes(fixture)
            for encoding in ["", ",progressive", ",webp", ",webp,animated", ",png,alpha", ",avif"] {
                let sharp = try Recipe(parsing: "a=320\(encoding)")
                let rendered = try Renderer().render(bytes.span, recipes: [sharp])
                let blurred = try Renderer().render(bytes.span, recipes: [sharp.blurred])
                #expect(blurred.renditions[0].size == rendered.renditions[0].size)
                #expect(blurred.renditions[0].bytes.count < rendered.renditions[0].bytes.count, "\(fixture)\(encoding)")
                #expect(blurred.placeholder != rendered.placeholder)
                #expect(sharp.blurred.fingerprint(among: []) != sharp.fingerprint(among: []))
                let still = blurred.renditions[0].bytes
                let header = try ImageHeader.read(still.span, limits: ImageLimits())
                #expect(header.frameCount == 1)
            }
        }
    }
}
