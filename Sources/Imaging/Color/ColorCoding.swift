/// The coding of an image's colours, in the numbers of ITU-T H.273.
struct ColorCoding: Sendable, Hashable {
    /// The chromaticities of red, green, blue and white.
    var primaries = 2
    /// The function from samples to light.
    var transfer = 2
    /// The matrix from luma and colour differences to red, green and blue.
    var matrix = 2
    /// Whether samples use all values of their depth; otherwise luma uses only 16 to 235 and chroma 16 to 240 of 255.
    var isFullRange = true

    /// The transfer function for high dynamic range; nil for any other.
    var highDynamicRange: HighDynamicRange? {
        switch transfer {
        case 16: .perceptualQuantizer
        case 18: .hybridLogGamma
        default: nil
        }
    }

    /// Whether the numbers leave the colours unspecified, so that another description in the file applies.
    var isUnspecified: Bool { primaries == 2 && transfer == 2 }

    /// The colours that the numbers stand for (ITU-T H.273, tables 2 and 3); an unassigned number counts as sRGB's.
    ///
    /// Transfer curves for cameras are treated as sRGB's, because such images are shown without a further conversion.
    var colors: PrimaryColors {
        var colors = ColorCoding.chromaticities[primaries] ?? .sRGB
        colors.exponent = ColorCoding.exponents[transfer]
        return colors
    }

    /// The meaning of samples of standard dynamic range, decoded to luma and chroma or to red, green and blue.
    var description: ColorDescription { colors == .sRGB ? .standard : .primaries(colors) }

    private static let exponents = [4: 2.2, 5: 2.8, 8: 1, 17: 2.6]

    private static let chromaticities: [Int: PrimaryColors] = {
        let d65 = SIMD2(0.3127, 0.3290)
        let c = SIMD2(0.310, 0.316)
        func colors(
            _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double), white: SIMD2<Double>
        ) -> PrimaryColors {
            PrimaryColors(
                white: white, red: SIMD2(red.0, red.1), green: SIMD2(green.0, green.1), blue: SIMD2(blue.0, blue.1))
        }
        let smpte170M = colors((0.630, 0.340), (0.310, 0.595), (0.155, 0.070), white: d65)
        return [
            4: colors((0.67, 0.33), (0.21, 0.71), (0.14, 0.08), white: c),
            5: colors((0.64, 0.33), (0.29, 0.60), (0.15, 0.06), white: d65),
            6: smpte170M, 7: smpte170M,
            8: colors((0.681, 0.319), (0.243, 0.692), (0.145, 0.049), white: c),
            9: colors((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), white: d65),
            11: colors((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: SIMD2(0.314, 0.351)),
            12: colors((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: d65),
            22: colors((0.630, 0.340), (0.295, 0.605), (0.155, 0.077), white: d65),
        ]
    }()
}

/// A transfer function of ITU-R BT.2100.
enum HighDynamicRange: Sendable, Hashable {
    /// The perceptual quantizer (PQ): samples are absolute amounts of light, up to 10,000 cd/m².
    case perceptualQuantizer
    /// Hybrid log-gamma (HLG): samples are relative to the brightness of the screen.
    case hybridLogGamma
}
