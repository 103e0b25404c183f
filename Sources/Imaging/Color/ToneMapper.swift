#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Turns samples of high dynamic range (ITU-R BT.2100) into sRGB.
///
/// What is as bright as a sheet of paper, 203 cd/m² (ITU-R BT.2408), becomes a little less than sRGB's white, and what
/// is brighter is rolled off by the curve of ITU-R BT.2390 (5.4.1), so that lights keep their shape; what is darker
/// than about 90 cd/m² keeps its light. The curve is applied to the largest of red, green and blue, and the others
/// follow, so that a bright colour keeps its hue; what sRGB cannot show of it is cut off.
struct ToneMapper: Sendable, Hashable {
    /// The light of each sample: in units of `white`, or of HLG the scene's, up to 1.
    private let light: [Float]
    /// The gain of all three amounts of light, by the fourth root of the largest.
    private let gain: [Float]
    /// The sRGB samples, by the square root of an amount of light.
    private let encoded: [UInt8]
    /// The gain of HLG's screen, by the square root of the scene's light; nil of PQ.
    private let screen: [Float]?
    private let luminance: SIMD3<Float>
    private let red: SIMD3<Float>
    private let green: SIMD3<Float>
    private let blue: SIMD3<Float>

    private static let white = 203.0
    private static let steps = 4096
    /// The fourth root of PQ's largest amount of light, in units of `white`.
    private static let maxRoot = pow(10_000 / white, 0.25)
    /// The brightness for which HLG's screen, and a PQ image that says nothing, are taken, in cd/m².
    private static let usualPeak = 1000.0

    /// - Parameter peak: The brightest light of a PQ image in cd/m², if it says so.
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

    /// sRGB of a pixel's samples from 0 to 1.
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

    /// The value at a share of the table: between two entries a straight line, so that more light never becomes less.
    @inline(__always)
    private static func value(in table: [Float], at share: Float) -> Float {
        let place = min(share, 1) * Float(steps)
        let index = min(Int(place), steps - 1)
        return table[index] + (table[index + 1] - table[index]) * (place - Float(index))
    }

    @inline(__always)
    private static func place(_ share: Float) -> Int { Int(min(share, 1) * Float(steps) + 0.5) }

    /// The light by BT.2390's curve, from the image's range to sRGB's white, in units of white.
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

/// PQ as ITU-R BT.2100, table 4, has it: samples from 0 to 1, light in cd/m².
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

/// HLG as ITU-R BT.2100, table 5, has it.
private enum HybridLogGamma {
    /// The scene's light, up to 1, of a sample.
    static func scene(_ sample: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
    }
}
