#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The coefficients of a component of a progressive image that a scale needs, as far as they have been decoded.
@safe
final class ProgressiveCoefficients {
    /// The number of blocks in a row (and, in `rowCount`, of rows), including those that complete the last minimum
    /// coded units.
    let width: Int
    let rowCount: Int
    /// The number of blocks in a row (and, in `ownRowCount`, of rows) in a scan of this component alone (T.81, A.2.2).
    let ownWidth: Int
    let ownRowCount: Int
    let factors: SamplingFactors
    /// The scale in eighths: its square is the number of a block's coefficients that are kept, row by row of the small
    /// block.
    let side: Int
    /// The positions of the kept coefficients in the zigzag sequence, as a bit mask.
    let places: UInt64
    /// The slot of each position in a block; `dropped` if its coefficient is not kept.
    private let slots: LookupTable<6, UInt8>
    /// The start of the allocated memory; `values` follows.
    private let nonzero: UnsafeMutablePointer<UInt64>
    private let values: UnsafeMutablePointer<Int16>

    /// Allocates a component's coefficients, all zero; nil if there is not enough memory.
    init?(_ component: SequentialFrame.Component, of frame: SequentialFrame, eighths: Int) {
        let blocks = frame.layout(of: component, eighths: 1)
        width = frame.unitsPerRow * component.factors.horizontal
        rowCount = frame.unitRows * component.factors.vertical
        ownWidth = blocks.horizontal.count
        ownRowCount = blocks.vertical.count
        factors = component.factors
        side = eighths
        var places: UInt64 = 0
        slots = LookupTable { place in
            let slot = Dequantizer.slot(of: place, side: eighths)
            if slot != CoefficientBlock.dropped { places |= 1 << UInt64(place) }
            return UInt8(slot)
        }
        self.places = places
        // The kernel provides zeroed pages on first use, since a file may announce much and contain little.
        let maskCount = side == 1 ? 1 : width * rowCount
        let valueCount = width * rowCount * side * side
        guard let memory = unsafe calloc(1, 8 * maskCount + 2 * valueCount) else { return nil }
        unsafe nonzero = memory.bindMemory(to: UInt64.self, capacity: maskCount)
        unsafe values = (memory + 8 * maskCount).bindMemory(to: Int16.self, capacity: valueCount)
    }

    deinit {
        unsafe free(nonzero)
    }

    /// Returns the memory for a component's coefficients, in bytes.
    static func byteCount(_ component: SequentialFrame.Component, of frame: SequentialFrame, eighths: Int) -> Int {
        let blockCount = frame.unitsPerRow * frame.unitRows * component.factors.horizontal * component.factors.vertical
        return blockCount * (2 * eighths * eighths + (eighths == 1 ? 0 : 8))
    }

    /// Returns the block at a row and a column, which must be less than `rowCount` and `width`.
    @inline(__always)
    func block(_ row: Int, _ column: Int) -> Block {
        let number = row &* width &+ column
        return unsafe Block(
            values: values + number &* side &* side, nonzero: nonzero + (side == 1 ? 0 : number))
    }

    /// The coefficients of one block, as far as they have been decoded.
    @unsafe
    struct Block {
        /// The kept values, before dequantisation.
        let values: UnsafeMutablePointer<Int16>
        /// The coefficients that are not zero, kept or not, as a mask of positions. At a scale of an eighth, all blocks
        /// share one mask, which is not read.
        let nonzero: UnsafeMutablePointer<UInt64>
    }

    /// Returns the slot in a block for the coefficient of a position; nil if it is not kept.
    @inline(__always)
    func slot(of place: Int) -> Int? {
        let slot = Int(slots[lowBitsOf: place])
        return slot < CoefficientBlock.dropped ? slot : nil
    }
}
