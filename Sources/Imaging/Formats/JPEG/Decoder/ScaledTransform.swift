internal import CKernels

/// An inverse discrete cosine transform of the lowest frequencies of a block (T.81, A.3.3, with fewer points).
///
/// The first N×N coefficients of an 8×8 block are, except for a factor of N/8, those of the same image at N/8 of its
/// size, as sharp as that size permits: the spectrum is cut off, not folded.
protocol ScaledTransform {
    /// The number of samples along a side of the small block (N).
    static var side: Int { get }
    /// The last position in the zigzag sequence with a coefficient of the N×N.
    static var lastPlace: Int { get }

    /// Writes the block's samples, and clears the block for the next one.
    ///
    /// - Parameter samples: The top left sample; `side` rows of `side` samples, `stride` apart, are written.
    @unsafe
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int)
}

extension ScaledTransform {
    /// Returns a sample from a fixed-point number: rounded, shifted to 0…255 and clamped (T.81, A.3.1).
    @inline(__always)
    static func sample(_ value: Int, bitsBelowPoint: Int) -> UInt8 {
        let level = (value &+ (1 &<< (bitsBelowPoint &- 1))) &>> bitsBelowPoint &+ 128
        return UInt8(truncatingIfNeeded: max(0, min(255, level)))
    }

    /// Writes a block of a single colour, whose coefficients except the first are zero.
    @unsafe @inline(__always)
    static func fill(_ dc: Int, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        let value = sample(dc, bitsBelowPoint: 3)
        for y in 0..<side {
            for x in 0..<side { unsafe samples[y &* stride &+ x] = value }
        }
    }
}

/// The transform to one sample per block: its mean.
enum EighthTransform: ScaledTransform {
    static var side: Int { 1 }
    static var lastPlace: Int { 0 }

    @unsafe @inline(__always)
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        unsafe samples[0] = sample(Int(block[0]), bitsBelowPoint: 3)
    }
}

/// The transform to two by two samples: sums and differences, since √2 cos(π/4) is 1.
enum QuarterTransform: ScaledTransform {
    static var side: Int { 2 }
    static var lastPlace: Int { 4 }

    @unsafe @inline(__always)
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        let (left, right) = (Int(block[0]) &+ Int(block[1]), Int(block[0]) &- Int(block[1]))
        let (leftSlope, rightSlope) = (Int(block[2]) &+ Int(block[3]), Int(block[2]) &- Int(block[3]))
        unsafe samples[0] = sample(left &+ leftSlope, bitsBelowPoint: 3)
        unsafe samples[1] = sample(right &+ rightSlope, bitsBelowPoint: 3)
        unsafe samples[stride] = sample(left &- leftSlope, bitsBelowPoint: 3)
        unsafe samples[stride &+ 1] = sample(right &- rightSlope, bitsBelowPoint: 3)
        for slot in 0..<4 { block[slot] = 0 }
    }
}

/// The transform to four by four samples.
enum HalfTransform: ScaledTransform {
    static var side: Int { 4 }
    static var lastPlace: Int { 24 }

    @unsafe @inline(__always)
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        unsafe ckernels_inverse_dct_4x4(block.coefficients, samples, stride)
        unsafe block.coefficients.update(repeating: 0, count: 16)
    }
}

/// The full transform to eight by eight samples; it gives the same samples as libjpeg's, bit for bit.
enum FullTransform: ScaledTransform {
    static var side: Int { 8 }
    static var lastPlace: Int { 63 }

    @unsafe @inline(__always)
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        unsafe ckernels_inverse_dct_8x8(block.coefficients, samples, stride)
        unsafe block.coefficients.update(repeating: 0, count: 64)
    }
}
