/// Tables from samples of any depth and range to 8-bit samples of full range.
enum SampleTable {
    /// A table for samples of luma, or of red, green or blue.
    static func luma(bits: Int, isFullRange: Bool) -> [UInt8] {
        let unit = Double(1 << (bits - 8))
        return isFullRange
            ? table(bits, zero: 0, one: 256 * unit - 1, from: 0, to: 255)
            : table(bits, zero: 16 * unit, one: 219 * unit, from: 0, to: 255)
    }

    /// A table for samples of a colour difference; 128 stands for no difference.
    static func chroma(bits: Int, isFullRange: Bool) -> [UInt8] {
        let unit = Double(1 << (bits - 8))
        return table(bits, zero: 128 * unit, one: isFullRange ? 256 * unit - 1 : 224 * unit, from: 128, to: 255)
    }

    /// The levels of all samples: 0 to 1 for luma, red, green or blue; -0.5 to 0.5 for a colour difference.
    static func levels(bits: Int, isFullRange: Bool, isChroma: Bool) -> [Float] {
        let unit = Double(1 << (bits - 8))
        let zero = isChroma ? 128 * unit : isFullRange ? 0 : 16 * unit
        let one = isFullRange ? 256 * unit - 1 : (isChroma ? 224 : 219) * unit
        return (0..<1 << bits).map { Float((Double($0) - zero) / one) }
    }

    /// Creates a table, rounding to the nearest value.
    private static func table(_ bits: Int, zero: Double, one: Double, from: Double, to range: Double) -> [UInt8] {
        (0..<1 << bits).map { UInt8(clamping: Int(((Double($0) - zero) * range / one).rounded() + from)) }
    }
}
