/// The matrix from luma and two colour differences to RGB: luma, and these multiples of the differences.
struct YCbCrMatrix: Sendable, Hashable {
    /// The multiples of the first difference in red, green and blue.
    let blue: SIMD3<Float>
    /// The multiples of the second difference in red, green and blue.
    let red: SIMD3<Float>

    /// The matrix of JPEG (JFIF 1.02; ITU-R BT.601).
    static let jpeg = YCbCrMatrix(red: 0.299, blue: 0.114)

    /// - Parameters:
    ///   - red: The share of red in luma.
    ///   - blue: The share of blue in luma.
    init(red: Double, blue: Double) {
        let green = 1 - red - blue
        self.blue = SIMD3(0, Float(-2 * (1 - blue) * blue / green), Float(2 * (1 - blue)))
        self.red = SIMD3(Float(2 * (1 - red)), Float(-2 * (1 - red) * red / green), 0)
    }

    private init(blue: SIMD3<Float>, red: SIMD3<Float>) {
        self.blue = blue
        self.red = red
    }

    /// The matrix of YCgCo: green and orange instead of blue and red.
    private static let greenAndOrange = YCbCrMatrix(blue: SIMD3(-1, 1, -1), red: SIMD3(1, 0, -1))

    /// Creates the matrix for a number (ITU-T H.273, table 4), or from the primaries if the number specifies that; an
    /// unspecified number counts as JPEG's.
    ///
    /// Nil if the conversion is more than a matrix.
    init?(_ coding: ColorCoding) {
        switch coding.matrix {
        case 1: self.init(red: 0.2126, blue: 0.0722)
        case 4: self.init(red: 0.30, blue: 0.11)
        case 7: self.init(red: 0.212, blue: 0.087)
        case 8: self = .greenAndOrange
        case 9: self.init(red: 0.2627, blue: 0.0593)
        case 12:
            let shares = coding.colors.luminance
            self.init(red: shares.x, blue: shares.z)
        case 0, 10, 11, 13, 14: return nil
        default: self = .jpeg
        }
    }

    /// Red, green and blue for luma from 0 to 1 and differences from -0.5 to 0.5; may be slightly below 0 or above 1.
    @inline(__always)
    func rgb(_ luma: Float, _ blue: Float, _ red: Float) -> SIMD3<Float> {
        SIMD3(repeating: luma) + self.blue * blue + self.red * red
    }
}

extension YCbCrMatrix {
    /// The matrix for 8-bit samples, where a difference of 128 is zero, in 16-bit fixed point.
    struct Fixed {
        fileprivate let blue: SIMD3<Int32>
        fileprivate let red: SIMD3<Int32>

        /// Writes red, green and blue, beginning at an index.
        @inline(__always)
        func write(_ luma: UInt8, _ blue: UInt8, _ red: UInt8, _ rgb: inout [UInt8], at index: Int) {
            let luma = SIMD3(repeating: Int32(luma) << 16 + 1 << 15)  // plus one half, to round
            let sum = luma &+ self.blue &* (Int32(blue) - 128) &+ self.red &* (Int32(red) - 128)
            let pixel = (sum &>> 16).clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
            rgb[index] = UInt8(truncatingIfNeeded: pixel.x)
            rgb[index + 1] = UInt8(truncatingIfNeeded: pixel.y)
            rgb[index + 2] = UInt8(truncatingIfNeeded: pixel.z)
        }
    }

    var fixed: Fixed {
        Fixed(
            blue: SIMD3((blue * 65_536).rounded(.toNearestOrEven)),
            red: SIMD3((red * 65_536).rounded(.toNearestOrEven)))
    }
}
