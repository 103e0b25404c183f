/// An inverse discrete cosine transform of the lowest frequencies of a block (T.81, A.3.3, with fewer points).
///
/// The first N×N coefficients of an 8×8 block are, but for a factor of N/8, those of the same picture at N/8 of its
/// size, as sharp as that size can carry: the spectrum is cut off, not folded.
protocol ScaledTransform {
    /// N: samples a side of the small block.
    static var side: Int { get }
    /// The place in the zigzag sequence behind which no coefficient is among the N×N.
    static var lastPlace: Int { get }

    /// Writes the block's samples, and clears the block for the next one.
    ///
    /// - Parameter samples: the top left one; `side` rows of `side` samples, `stride` apart, are written.
    @unsafe
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int)
}

extension ScaledTransform {
    /// A sample from a number with so many bits below the point; rounded, shifted to 0…255 and clamped (T.81, A.3.1).
    @inline(__always)
    static func sample(_ value: Int, bitsBelowPoint: Int) -> UInt8 {
        let level = (value &+ (1 &<< (bitsBelowPoint &- 1))) &>> bitsBelowPoint &+ 128
        return UInt8(truncatingIfNeeded: max(0, min(255, level)))
    }

    /// A block of one colour: all of its coefficients but the first are zero.
    @unsafe @inline(__always)
    static func fill(_ dc: Int, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        let value = sample(dc, bitsBelowPoint: 3)
        for y in 0..<side {
            for x in 0..<side { unsafe samples[y &* stride &+ x] = value }
        }
    }
}

/// One sample a block: its mean.
enum EighthTransform: ScaledTransform {
    static var side: Int { 1 }
    static var lastPlace: Int { 0 }

    @unsafe @inline(__always)
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        unsafe samples[0] = sample(Int(block[0]), bitsBelowPoint: 3)
    }
}

/// Two by two: sums and differences, since √2 cos(π/4) is 1.
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

/// Four by four.
enum HalfTransform: ScaledTransform {
    static var side: Int { 4 }
    static var lastPlace: Int { 24 }

    /// √2 cos(π/8) and √2 cos(3π/8), with 13 bits below the point.
    private static let (cosine1, cosine3) = (10_703, 4_433)

    @unsafe @inline(__always)
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        for column in 0..<4 {
            let (a, b, c, d) = points(
                Int(block[column]), Int(block[4 &+ column]), Int(block[8 &+ column]), Int(block[12 &+ column]))
            // Two bits stay below the point between the passes.
            block[column] = Int32(truncatingIfNeeded: (a &+ 1024) &>> 11)
            block[4 &+ column] = Int32(truncatingIfNeeded: (b &+ 1024) &>> 11)
            block[8 &+ column] = Int32(truncatingIfNeeded: (c &+ 1024) &>> 11)
            block[12 &+ column] = Int32(truncatingIfNeeded: (d &+ 1024) &>> 11)
        }
        for row in 0..<4 {
            let first = row &* 4
            let (a, b, c, d) = points(
                Int(block[first]), Int(block[first &+ 1]), Int(block[first &+ 2]), Int(block[first &+ 3]))
            let line = unsafe samples + row &* stride
            unsafe line[0] = sample(a, bitsBelowPoint: 18)
            unsafe line[1] = sample(b, bitsBelowPoint: 18)
            unsafe line[2] = sample(c, bitsBelowPoint: 18)
            unsafe line[3] = sample(d, bitsBelowPoint: 18)
        }
        for slot in 0..<16 { block[slot] = 0 }
    }

    /// Four points of four frequencies, with 13 more bits below the point.
    @inline(__always)
    private static func points(_ f0: Int, _ f1: Int, _ f2: Int, _ f3: Int) -> (Int, Int, Int, Int) {
        let (sum, difference) = ((f0 &+ f2) &<< 13, (f0 &- f2) &<< 13)
        let outer = f1 &* cosine1 &+ f3 &* cosine3
        let inner = f1 &* cosine3 &- f3 &* cosine1
        return (sum &+ outer, difference &+ inner, difference &- inner, sum &- outer)
    }
}
