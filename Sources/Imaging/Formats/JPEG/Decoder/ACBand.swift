/// Decodes a block's band of AC coefficients in one scan.
struct ACBand {
    private let steps: ACSteps
    /// The first and the last position in the zigzag sequence (Ss and Se).
    private let first: Int
    private let last: Int
    private let places: UInt64
    /// The position of the lowest bit in the scan (Al).
    private let lowBit: Int16

    /// Creates a decoder for a scan's band; nil if the scan has no code.
    init?(_ scan: ProgressiveFrame.Scan) {
        guard let code = scan.parts.first?.code else { return nil }
        steps = ACSteps(code, hasRuns: true)
        first = scan.band.lowerBound
        last = scan.band.upperBound
        places = scan.places
        lowBit = Int16(scan.lowBit)
    }

    /// Decodes the upper bits (T.81, G.1.2.2); returns false if the stream is damaged or unlike that of any encoder.
    ///
    /// - Parameter runLength: The number of following blocks, including this one, without further nonzero coefficients
    ///   (EOBRUN).
    @unsafe @inline(__always)
    func decodeFirst(
        _ block: ProgressiveCoefficients.Block, of component: ProgressiveCoefficients, _ reader: inout BitReader,
        _ runLength: inout Int
    ) -> Bool {
        guard runLength == 0 else {
            runLength &-= 1
            return true
        }
        var nonzero: UInt64 = 0
        var place = first
        while place <= last {
            unsafe reader.refill()
            let step = unsafe steps.next(&reader)
            guard !step.isUnknown else { return false }
            if step.advance >= ACSteps.endOfBlock {
                runLength = unsafe ACBand.runLength(step, &reader) &- 1
                break
            }
            place &+= step.advance
            guard place <= last &+ 1 else { return false }
            guard step.value != 0 else { continue }  // ZRL
            nonzero |= 1 &<< UInt64(truncatingIfNeeded: place &- 1)
            let value = step.value &<< Int32(lowBit)
            guard value == Int32(Int16(truncatingIfNeeded: value)) else { return false }
            if let slot = component.slot(of: place &- 1) {
                unsafe block.values[slot] = Int16(truncatingIfNeeded: value)
            }
        }
        unsafe block.nonzero.pointee |= nonzero
        return true
    }

    /// Decodes one further bit of each nonzero coefficient, and the first bit of others (T.81, G.1.2.3); returns false
    /// as above.
    @unsafe @inline(__always)
    func decodeFurther(
        _ block: ProgressiveCoefficients.Block, of component: ProgressiveCoefficients, _ reader: inout BitReader,
        _ runLength: inout Int
    ) -> Bool {
        var nonzero = unsafe block.nonzero.pointee
        var place = first
        while runLength == 0, place <= last {
            unsafe reader.refill()
            let step = unsafe steps.next(&reader)
            guard !step.isUnknown else { return false }
            if step.advance >= ACSteps.endOfBlock {
                runLength = unsafe ACBand.runLength(step, &reader)
                break
            }
            guard step.value.magnitude <= 1 else { return false }
            // The run counts zeros only; each nonzero coefficient in it extends the run and has a correction bit after
            // the word.
            var target = place &+ step.advance &- 1
            let known = nonzero & ACBand.places(from: place)
            var beyond = known
            while beyond != 0, beyond.trailingZeroBitCount <= target {
                beyond &= beyond &- 1
                target &+= 1
            }
            guard target <= last else { return false }
            if beyond != known { unsafe correct(known ^ beyond, in: block, of: component, &reader) }
            if step.value != 0 {
                nonzero |= 1 &<< UInt64(truncatingIfNeeded: target)
                if let slot = component.slot(of: target) {
                    unsafe block.values[slot] = Int16(truncatingIfNeeded: step.value) &<< lowBit
                }
            }
            place = target &+ 1
        }
        unsafe block.nonzero.pointee = nonzero
        guard runLength > 0 else { return true }
        runLength &-= 1
        let rest = nonzero & places & ACBand.places(from: place)
        if rest != 0 { unsafe correct(rest, in: block, of: component, &reader) }
        return true
    }

    /// Reads a run length (EOBn): 2ⁿ blocks, including this one, plus the number in the next n bits.
    @inline(__always)
    private static func runLength(_ step: ACSteps.Step, _ reader: inout BitReader) -> Int {
        let bitCount = step.advance &- ACSteps.endOfBlock
        guard bitCount > 0 else { return 1 }
        let more = unsafe reader.peek(bitCount)
        unsafe reader.consume(bitCount)
        return 1 &<< bitCount &+ more
    }

    /// Reads a correction bit for each of the given coefficients.
    @inline(__always)
    private func correct(
        _ nonzero: UInt64, in block: ProgressiveCoefficients.Block, of component: ProgressiveCoefficients,
        _ reader: inout BitReader
    ) {
        var (rest, count) = (nonzero, 0)
        while rest & component.places != 0 {
            // A window has at least 56 bits.
            if count & 31 == 0 { unsafe reader.refill() }
            count &+= 1
            let bit = unsafe reader.peek(1)
            unsafe reader.consume(1)
            let place = rest.trailingZeroBitCount
            rest &= rest &- 1
            guard bit != 0, let slot = component.slot(of: place) else { continue }
            // Each bit occurs once, and those below it are zero.
            let value = unsafe block.values[slot]
            unsafe block.values[slot] = value &+ (value < 0 ? -1 : 1) &<< lowBit
        }
        guard rest != 0 else { return }
        // At most 63 bits remain.
        count = rest.nonzeroBitCount
        unsafe reader.refill()
        unsafe reader.consume(min(count, 32))
        guard count > 32 else { return }
        unsafe reader.refill()
        unsafe reader.consume(count &- 32)
    }

    /// Returns a mask of all positions from one on, which is less than 64.
    @inline(__always)
    private static func places(from start: Int) -> UInt64 { UInt64.max &<< UInt64(truncatingIfNeeded: start) }
}
