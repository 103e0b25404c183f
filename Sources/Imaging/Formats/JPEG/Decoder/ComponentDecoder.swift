/// Decodes the blocks of one component at one scale.
struct ComponentDecoder {
    private let dcTable: DCTable
    private let acTable: ACTable
    private let dequantizers: LookupTable<8, Dequantizer>
    private let dcStep: Int
    /// The number of blocks along a row of a minimum coded unit.
    let horizontal: Int
    let vertical: Int
    /// The number of samples along a block's side: 1, 2, 4 or 8, which is the scale in eighths.
    let side: Int
    /// The number of samples along a row of a minimum coded unit.
    var unitWidth: Int { horizontal * side }
    var unitHeight: Int { vertical * side }
    /// The last block's DC coefficient before dequantisation (T.81, F.1.1.5.1).
    private var prediction = 0

    init?(_ component: SequentialFrame.Component, eighths: Int) {
        guard let dcTable = component.dcCode.flatMap(DCTable.init), let acTable = component.acCode.map(ACTable.init)
        else {
            return nil
        }
        self.dcTable = dcTable
        self.acTable = acTable
        dequantizers = Dequantizer.table(quantization: component.quantization, side: eighths)
        dcStep = Int(component.quantization[0])
        horizontal = component.factors.horizontal
        vertical = component.factors.vertical
        side = eighths
    }

    /// Begins a restart interval.
    mutating func restart() { prediction = 0 }

    /// Decodes this component's blocks of a minimum coded unit; returns false if the stream is damaged.
    ///
    /// - Parameter samples: The top left sample of the unit, of which `vertical × side` rows of `horizontal × side`
    ///   samples, `stride` apart, are written.
    @unsafe
    mutating func decodeUnit(
        _ reader: inout BitReader, _ window: inout EntropyWindow, _ block: borrowing CoefficientBlock,
        from bytes: Span<UInt8>,
        to samples: UnsafeMutablePointer<UInt8>, stride: Int
    ) -> Bool {
        switch side {
        case 1:
            unsafe decodeUnit(EighthTransform.self, &reader, &window, block, from: bytes, to: samples, stride: stride)
        case 2:
            unsafe decodeUnit(QuarterTransform.self, &reader, &window, block, from: bytes, to: samples, stride: stride)
        case 4: unsafe decodeUnit(HalfTransform.self, &reader, &window, block, from: bytes, to: samples, stride: stride)
        default:
            unsafe decodeUnit(FullTransform.self, &reader, &window, block, from: bytes, to: samples, stride: stride)
        }
    }

    @unsafe @inline(__always)
    private mutating func decodeUnit<Transform: ScaledTransform>(
        _ transform: Transform.Type, _ shared: inout BitReader, _ window: inout EntropyWindow,
        _ block: borrowing CoefficientBlock,
        from bytes: Span<UInt8>, to samples: UnsafeMutablePointer<UInt8>, stride: Int
    ) -> Bool {
        var reader = unsafe shared  // a copy, which stays in registers
        for row in 0..<vertical {
            for column in 0..<horizontal {
                if unsafe reader.position > window.limit {
                    guard unsafe window.prepare(&reader, from: bytes) else { return false }
                }
                guard let end = unsafe decodeBlock(transform, &reader, block) else { return false }
                let corner = unsafe samples + (row &* stride &+ column) &* Transform.side
                if end == ACSteps.endOfBlock + 1 {
                    unsafe transform.fill(Int(block[0]), to: corner, stride: stride)
                } else {
                    unsafe transform.invert(block, to: corner, stride: stride)
                }
            }
        }
        unsafe shared = unsafe reader
        return true
    }

    /// Decodes the coefficients of one block that the scale needs into `block`, and skips the others (T.81, F.2.2).
    ///
    /// - Returns: The position after the last coefficient, plus `ACSteps.endOfBlock` if there was an EOB; nil if the
    ///   stream is damaged.
    @inline(__always)
    private mutating func decodeBlock<Transform: ScaledTransform>(
        _ transform: Transform.Type, _ reader: inout BitReader, _ block: borrowing CoefficientBlock
    ) -> Int? {
        unsafe reader.refill()
        guard let difference = unsafe dcTable.next(&reader) else { return nil }
        prediction &+= difference
        let dc = prediction &* dcStep
        // Samples of 8 bits give ±1024. Four times that allows for any rounding; beyond it, libjpeg's numbers would
        // overflow.
        guard (-4096..<4088).contains(dc) else { return nil }
        block[0] = Int16(truncatingIfNeeded: dc)
        var place = 1
        while place <= Transform.lastPlace {
            unsafe reader.refill()
            let step = unsafe acTable.steps.next(&reader)
            guard !step.isUnknown else { return nil }
            place &+= step.advance
            let dequantizer = dequantizers[lowBitsOf: place &- 1]
            block[dequantizer.slot] = dequantizer.scale(step.value)
        }
        return Transform.lastPlace < 63 && place < 64
            ? unsafe skip(from: place, &reader) : ComponentDecoder.checked(place)
    }

    /// Skips the rest of a block.
    @inline(__always)
    private func skip(from start: Int, _ reader: inout BitReader) -> Int? {
        var place = start
        repeat {
            unsafe reader.refill()
            // Two strides of at most 28 bits need no refill between them.
            for _ in 0..<2 {
                let stride = unsafe acTable.strides[leadingBitsOf: reader.window]
                let next = place &+ stride.advance
                if next < 64 {
                    unsafe reader.consume(stride.length)
                    place = next
                } else if let end = ComponentDecoder.checked(next) {
                    unsafe reader.consume(stride.length)
                    return end
                } else {
                    // The stride extends beyond the block, or is unknown: decode a single word.
                    unsafe reader.refill()
                    let step = unsafe acTable.steps.next(&reader)
                    guard !step.isUnknown else { return nil }
                    place &+= step.advance
                    break
                }
            }
        } while place < 64
        return ComponentDecoder.checked(place)
    }

    /// Returns a position where a block may end: after its last coefficient, or earlier with an EOB; nil for any other.
    @inline(__always)
    private static func checked(_ place: Int) -> Int? {
        place == 64 || (ACSteps.endOfBlock..<ACSteps.endOfBlock + 64).contains(place) ? place : nil
    }
}
