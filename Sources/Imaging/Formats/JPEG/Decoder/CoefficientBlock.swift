/// The dequantised coefficients of a block that its scale needs, row by row of the small block; others are dropped.
@safe
struct CoefficientBlock: ~Copyable {
    /// The slot for coefficients that the scale does not need.
    static let dropped = 64
    /// The number of slots: a power of two, so that the low bits of any number are a slot.
    private static let slotCount = 128

    private let values: UnsafeMutablePointer<Int16>

    init() {
        unsafe values = .allocate(capacity: CoefficientBlock.slotCount)
        unsafe values.initialize(repeating: 0, count: CoefficientBlock.slotCount)
    }

    deinit { unsafe values.deallocate() }

    /// The first of the 64 coefficients; the remaining slots are for `dropped`.
    @unsafe var coefficients: UnsafeMutablePointer<Int16> { unsafe values }

    /// A slot's coefficient; only the low seven bits of the slot's number are used.
    subscript(slot: Int) -> Int16 {
        // The index is in range, whatever the number is.
        @inline(__always) get { unsafe values[slot & (CoefficientBlock.slotCount &- 1)] }
        @inline(__always) nonmutating set { unsafe values[slot & (CoefficientBlock.slotCount &- 1)] = newValue }
    }
}

/// A coefficient's slot in the block and its quantisation step, by its position in the zigzag sequence.
struct Dequantizer {
    /// The slot in the upper 16 bits and the step in the lower ones, so that one load reads both.
    private let bits: UInt32

    private init(slot: Int, step: UInt16) { bits = UInt32(slot << 16) | UInt32(step) }

    @inline(__always) var slot: Int { Int(bits >> 16) }

    /// Returns a coefficient times its step, in 16 bits, as libjpeg computes it.
    @inline(__always)
    func scale(_ value: Int32) -> Int16 { Int16(truncatingIfNeeded: UInt32(bitPattern: value) &* bits) }

    /// Returns the dequantizers of all positions in the zigzag sequence (T.81, A.3.6), and beyond it up to 255.
    ///
    /// - Parameter side: The side of the small block; coefficients of its columns and rows have a slot.
    static func table(quantization: [UInt16], side: Int) -> LookupTable<8, Dequantizer> {
        LookupTable { place in
            Dequantizer(
                slot: slot(of: place, side: side), step: place < quantization.count ? quantization[place] : 0)
        }
    }

    /// Returns the slot in a small block of a position in the zigzag sequence; `dropped` if there is none.
    static func slot(of place: Int, side: Int) -> Int {
        guard zigzag.indices.contains(place) else { return CoefficientBlock.dropped }
        let (row, column) = (zigzag[place] / 8, zigzag[place] % 8)
        return row < side && column < side ? row * side + column : CoefficientBlock.dropped
    }

    /// Returns the quantisation steps of a small block, by slot, in 16 bits as libjpeg uses them.
    static func steps(_ quantization: [UInt16], side: Int) -> [Int16] {
        var steps = [Int16](repeating: 0, count: side * side)
        for (place, step) in quantization.enumerated() {
            let slot = slot(of: place, side: side)
            if slot != CoefficientBlock.dropped { steps[slot] = Int16(truncatingIfNeeded: step) }
        }
        return steps
    }

    /// The positions of the zigzag sequence's coefficients in the block, row by row (T.81, figure A.6).
    private static let zigzag = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14,
        21,
        28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61,
        54, 47, 55, 62, 63,
    ]
}
