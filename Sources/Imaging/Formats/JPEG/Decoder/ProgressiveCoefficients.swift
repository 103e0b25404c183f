#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The coefficients of a component of a progressive image, as far as a scale needs them and the scans so far tell.
@safe
final class ProgressiveCoefficients {
    /// Blocks a row, and rows of them, with those that fill up the last minimum coded units.
    let width: Int
    let rowCount: Int
    /// Blocks a row, and rows, of a scan that has this component alone (T.81, A.2.2).
    let ownWidth: Int
    let ownRowCount: Int
    let factors: SamplingFactors
    /// The scale in eighths: its square is how many of a block's coefficients are kept, row by row of the small block.
    let side: Int
    /// The places in the zigzag sequence of those, a bit each.
    let places: UInt64
    /// The slot of each place in a block; `dropped` where it is not kept.
    private let slots: LookupTable<6, UInt8>
    /// The start of what was allocated; `values` is behind it.
    private let nonzero: UnsafeMutablePointer<UInt64>
    private let values: UnsafeMutablePointer<Int16>

    /// Makes room for a component's coefficients, all zero; nil when there is not so much memory.
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
        // All zero, and not there until it is used: a file may say much and have little.
        let maskCount = side == 1 ? 1 : width * rowCount
        let valueCount = width * rowCount * side * side
        guard let memory = unsafe calloc(1, 8 * maskCount + 2 * valueCount) else { return nil }
        unsafe nonzero = memory.bindMemory(to: UInt64.self, capacity: maskCount)
        unsafe values = (memory + 8 * maskCount).bindMemory(to: Int16.self, capacity: valueCount)
    }

    deinit {
        unsafe free(nonzero)
    }

    /// Bytes that a component takes.
    static func byteCount(_ component: SequentialFrame.Component, of frame: SequentialFrame, eighths: Int) -> Int {
        let blockCount = frame.unitsPerRow * frame.unitRows * component.factors.horizontal * component.factors.vertical
        return blockCount * (2 * eighths * eighths + (eighths == 1 ? 0 : 8))
    }

    /// A block by its row and column: they are to be less than `rowCount` and `width`.
    @inline(__always)
    func block(_ row: Int, _ column: Int) -> Block {
        let number = row &* width &+ column
        return unsafe Block(
            values: values + number &* side &* side, nonzero: nonzero + (side == 1 ? 0 : number))
    }

    /// One block's coefficients so far.
    @unsafe
    struct Block {
        /// The values, undivided by their steps, as many as are kept.
        let values: UnsafeMutablePointer<Int16>
        /// The coefficients that are not zero, kept or not: a bit for each place. At an eighth, all blocks have the
        /// same one, which nobody asks.
        let nonzero: UnsafeMutablePointer<UInt64>
    }

    /// The slot in a block where the coefficient of a place is kept; nil when it is not.
    @inline(__always)
    func slot(of place: Int) -> Int? {
        let slot = Int(slots[lowBitsOf: place])
        return slot < CoefficientBlock.dropped ? slot : nil
    }
}
