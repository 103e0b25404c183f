/// The whole inverse transform, by the algorithm of C. Loeffler, A. Ligtenberg and G. Moschytz ("Practical fast 1-D DCT
/// algorithms with 11 multiplications", ICASSP 1989), in the fixed-point arithmetic of libjpeg's accurate integer
/// transform: the same samples, bit for bit.
enum FullTransform: ScaledTransform {
    static var side: Int { 8 }
    static var lastPlace: Int { 63 }

    @unsafe @inline(__always)
    static func invert(_ block: borrowing CoefficientBlock, to samples: UnsafeMutablePointer<UInt8>, stride: Int) {
        for column in 0..<8 {
            let points = Points(
                Int(block[column]), Int(block[8 &+ column]), Int(block[16 &+ column]), Int(block[24 &+ column]),
                Int(block[32 &+ column]), Int(block[40 &+ column]), Int(block[48 &+ column]), Int(block[56 &+ column]))
            for row in 0..<4 {
                // Two bits stay below the point between the passes.
                block[row &* 8 &+ column] = Int16(truncatingIfNeeded: (points.sum(row) &+ 1024) &>> 11)
                block[(7 &- row) &* 8 &+ column] = Int16(truncatingIfNeeded: (points.difference(row) &+ 1024) &>> 11)
            }
        }
        for row in 0..<8 {
            let first = row &* 8
            let points = Points(
                Int(block[first]), Int(block[first &+ 1]), Int(block[first &+ 2]), Int(block[first &+ 3]),
                Int(block[first &+ 4]), Int(block[first &+ 5]), Int(block[first &+ 6]), Int(block[first &+ 7]))
            let line = unsafe samples + row &* stride
            for column in 0..<4 {
                unsafe line[column] = sample(points.sum(column), bitsBelowPoint: 18)
                unsafe line[7 &- column] = sample(points.difference(column), bitsBelowPoint: 18)
            }
        }
        for slot in 0..<64 { block[slot] = 0 }
    }

    /// Eight points of eight frequencies, with 13 more bits below the point.
    private struct Points {
        /// Of the even frequencies, and of the odd ones, for the first four points; the others mirror them.
        private var even: InlineArray<4, Int>
        private var odd: InlineArray<4, Int>

        @inline(__always) func sum(_ point: Int) -> Int { even[point] &+ odd[point] }
        @inline(__always) func difference(_ point: Int) -> Int { even[point] &- odd[point] }

        @inline(__always)
        init(_ f0: Int, _ f1: Int, _ f2: Int, _ f3: Int, _ f4: Int, _ f5: Int, _ f6: Int, _ f7: Int) {
            let turned = (f2 &+ f6) &* 4_433  // √2 cos(3π/8)
            let (t2, t3) = (turned &- f6 &* 15_137, turned &+ f2 &* 6_270)
            let (t0, t1) = ((f0 &+ f4) &<< 13, (f0 &- f4) &<< 13)
            even = [t0 &+ t3, t1 &+ t2, t1 &- t2, t0 &- t3]

            let (z3, z4) = (f7 &+ f3, f5 &+ f1)
            let z5 = (z3 &+ z4) &* 9_633
            let (z1, z2) = (0 &- (f7 &+ f1) &* 7_373, 0 &- (f5 &+ f3) &* 20_995)
            let (w3, w4) = (z5 &- z3 &* 16_069, z5 &- z4 &* 3_196)
            odd = [
                f1 &* 12_299 &+ z1 &+ w4, f3 &* 25_172 &+ z2 &+ w3, f5 &* 16_819 &+ z2 &+ w4, f7 &* 2_446 &+ z1 &+ w3,
            ]
        }
    }
}
