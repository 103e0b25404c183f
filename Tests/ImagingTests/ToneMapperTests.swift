import Testing

@testable import Imaging

struct ToneMapperTests {
    private static let bt2020 = ColorCoding(primaries: 9, transfer: 16, matrix: 9, isFullRange: true).colors

    private static func grey(_ mapper: ToneMapper, _ sample: Float) -> UInt8 {
        let pixel = mapper.srgb(SIMD3(repeating: sample))
        #expect(pixel.x == pixel.y && pixel.y == pixel.z, "\(pixel)")
        return pixel.x
    }

    /// Samples of greys, and sRGB's numbers for their light if 203 cd/m² is white: BT.2390 leaves light below about 90
    /// cd/m² unchanged.
    @Test(arguments: [
        (HighDynamicRange.perceptualQuantizer, 0, 0), (.perceptualQuantizer, 0.2997, 63),  // 10 cd/m²
        (.perceptualQuantizer, 0.4403, 136), (.perceptualQuantizer, 1, 255),  // 50 and 10,000 cd/m²
        (.hybridLogGamma, 0, 0), (.hybridLogGamma, 0.5, 137), (.hybridLogGamma, 1, 255),  // 0, 50.7 and 1,000 cd/m²
    ])
    func greys(range: HighDynamicRange, sample: Float, expected: Int) {
        let mapper = ToneMapper(range, colors: ToneMapperTests.bt2020, peak: nil)
        #expect(abs(Int(ToneMapperTests.grey(mapper, sample)) - expected) <= 1)
    }

    @Test("More light never becomes darker", arguments: [HighDynamicRange.perceptualQuantizer, .hybridLogGamma])
    func order(range: HighDynamicRange) {
        for peak in [nil, 100.0, 1000, 4000, 10_000] {
            let mapper = ToneMapper(range, colors: ToneMapperTests.bt2020, peak: peak)
            let greys = (0...1000).map { ToneMapperTests.grey(mapper, Float($0) / 1000) }
            #expect(greys == greys.sorted())
            #expect(greys.last == 255)
        }
    }

    @Test("Diffuse white stays bright, and brighter light is still distinguishable")
    func white() {
        let mapper = ToneMapper(.perceptualQuantizer, colors: ToneMapperTests.bt2020, peak: nil)
        let paper = ToneMapperTests.grey(mapper, 0.5807)  // 203 cd/m²
        #expect((220...245).contains(paper))
        #expect(ToneMapperTests.grey(mapper, 0.70) > paper + 5)
    }

    @Test("A colour within sRGB keeps its hue, however bright it is")
    func hue() {
        let mapper = ToneMapper(
            .perceptualQuantizer, colors: ColorCoding(primaries: 1, transfer: 16).colors, peak: nil)
        // 1,000, 250 and 50 cd/m² of red, green and blue.
        let pixel = mapper.srgb(SIMD3(0.7518, 0.6026, 0.4404))
        #expect(pixel.x >= 254)
        #expect(abs(Int(pixel.y) - 137) <= 2 && abs(Int(pixel.z) - 63) <= 2, "\(pixel)")
    }
}
