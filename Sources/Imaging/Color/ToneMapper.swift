#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Converts samples of high dynamic range (ITU-R BT.2100) to sRGB.
///
/// Light of 203 cd/m², the brightness of a sheet of paper (ITU-R BT.2408), becomes a little less than sRGB's white.
/// Brighter light is rolled off by the curve of ITU-R BT.2390 (5.4.1), so that highlights keep their shape; light below
/// about 90 cd/m² stays the same. The curve is applied to the largest of red, green and blue, and the others are scaled
/// by the same factor, so that a bright colour keeps its hue. Colours outside sRGB are clamped.
struct ToneMapper: Sendable, Hashable {
    /// The light of each sample: in units of `white` for PQ; the scene's light, up to 1, for HLG.
    private let light: [Float]
    /// The gain of all three amounts of light, indexed by the fourth root of the largest.
    private let gain: [Float]
    /// The sRGB samples, indexed by the square root of an amount of light.
    private let encoded: [UInt8]
    /// The gain of an HLG screen, indexed by the square root of the scene's light; nil for PQ.
    private let screen: [Float]?
    private let luminance: SIMD3<Float>
    private let red: SIMD3<Float>
    private let green: SIMD3<Float>
    private let blue: SIMD3<Float>

    private static let white = 203.0
    private static let steps = 4096
    /// The fourth root of PQ's largest amount of light, in units of `white`.
    private static let maxRoot = pow(10_000 / white, 0.25)
    /// The assumed peak brightness of an HLG screen, and of a PQ image that specifies none, in cd/m².
    private static let usualPeak = 1000.0

    /// - Parameter peak: The brightest light of a PQ image in cd/m²; nil if the file does not specify it.
    init(_ range: HighDynamicRange, colors: PrimaryColors, peak: Double?) {
        let isHybrid = range == .hybridLogGamma
        let peak = isHybrid ? ToneMapper.usualPeak : min(max(peak ?? ToneMapper.usualPeak, ToneMapper.white), 10_000)
        func table(_ value: (Double) -> Double) -> [Float] {
            (0...ToneMapper.steps).map { Float(value(Double($0) / Double(ToneMapper.steps))) }
        }
        light = table { isHybrid ? HybridLogGamma.scene($0) : PerceptualQuantizer.light($0) / ToneMapper.white }
        // The system's gamma for a screen of 1,000 cd/m² (BT.2100, table 5).
        screen = isHybrid ? table { ToneMapper.usualPeak / ToneMapper.white * pow($0, 0.4) } : nil
        gain = table { root in
            let light = pow(root * ToneMapper.maxRoot, 4)
            return light == 0 ? 1 : ToneMapper.rolledOff(light, peak: peak) / light
        }
        encoded = table { $0 * $0 }.map { UInt8((255 * ToneMapper.standard(Double($0))).rounded()) }
        luminance = SIMD3(colors.luminance)
        let matrix = colors.toSRGB.columns
        (red, green, blue) = (SIMD3(matrix.0), SIMD3(matrix.1), SIMD3(matrix.2))
    }

    /// Converts a pixel's samples, 0 to 1, to sRGB.
    @inline(__always)
    func srgb(_ samples: SIMD3<Float>) -> SIMD3<UInt8> {
        let places = SIMD3<Int32>(
            (samples.clamped(lowerBound: .zero, upperBound: .one) * Float(ToneMapper.steps)).rounded(.toNearestOrEven))
        var light = SIMD3(self.light[Int(places.x)], self.light[Int(places.y)], self.light[Int(places.z)])
        if let screen { light *= ToneMapper.value(in: screen, at: (light * luminance).sum().squareRoot()) }
        light = red * light.x + green * light.y + blue * light.z
        let root = max(light.max(), 0).squareRoot().squareRoot() / Float(ToneMapper.maxRoot)
        light *= ToneMapper.value(in: gain, at: root)
        let roots = light.clamped(lowerBound: .zero, upperBound: .one).squareRoot()
        return SIMD3(
            encoded[ToneMapper.place(roots.x)], encoded[ToneMapper.place(roots.y)], encoded[ToneMapper.place(roots.z)])
    }

    /// The value at a position of a table, 0 to 1; interpolated linearly, so that more light never becomes less.
    @inline(__always)
    private static func value(in table: [Float], at share: Float) -> Float {
        let place = min(share, 1) * Float(steps)
        let index = min(Int(place), steps - 1)
        return table[index] + (table[index + 1] - table[index]) * (place - Float(index))
    }

    @inline(__always)
    private static func place(_ share: Float) -> Int { Int(min(share, 1) * Float(steps) + 0.5) }

    /// The light after BT.2390's curve, from the image's range to sRGB's white, in units of `white`.
    private static func rolledOff(_ light: Double, peak: Double) -> Double {
        let top = PerceptualQuantizer.sample(peak)
        let (sample, end) = (
            min(PerceptualQuantizer.sample(light * white) / top, 1), PerceptualQuantizer.sample(white) / top
        )
        let knee = 1.5 * end - 0.5
        guard sample > knee else { return light }
        let t = (sample - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let rolled =
            (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee) + (3 * square - 2 * cube) * end
        return PerceptualQuantizer.light(rolled * top) / white
    }

    /// sRGB's curve (IEC 61966-2-1).
    private static func standard(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}

/// The PQ transfer function (ITU-R BT.2100, table 4): samples from 0 to 1, light in cd/m².
private enum PerceptualQuantizer {
    private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
    private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

    static func light(_ sample: Double) -> Double {
        let power = pow(sample, 1 / m2)
        return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    static func sample(_ light: Double) -> Double {
        let power = pow(light / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }
}

/// The HLG transfer function (ITU-R BT.2100, table 5).
private enum HybridLogGamma {
    /// The scene's light, 0 to 1, for a sample from 0 to 1.
    static func scene(_ sample: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
    }
}
