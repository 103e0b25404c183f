/// Decodes a usual JPEG as planes of a fraction of its size, one row of minimum coded units at a time.
///
/// Whatever it throws means no more than that libjpeg is to be asked.
@safe
struct ScaledJPEGDecoder: PlaneDecoder, ~Copyable {
    let layouts: [PlaneLayout]
    private let frame: SequentialFrame
    private var components: [ComponentDecoder]
    private var window: EntropyWindow
    private var reader: BitReader
    private let block = CoefficientBlock()
    private var unitsUntilRestart: Int
    private var restartCount: UInt8 = 0

    /// Prepares to decode each component at its own scale; nil if its tables are not those of an 8-bit picture.
    ///
    /// - Parameter eighths: 1, 2, 4 or 8 for each component.
    init?(_ frame: SequentialFrame, eighths: [Int]) {
        components = zip(frame.components, eighths).compactMap { ComponentDecoder($0, eighths: $1) }
        guard components.count == frame.components.count else { return nil }
        layouts = zip(frame.components, eighths).map { frame.layout(of: $0, eighths: $1) }
        self.frame = frame
        window = EntropyWindow(scanOffset: frame.scanOffset)
        unsafe reader = unsafe window.reader()
        unitsUntilRestart = frame.restartInterval > 0 ? frame.restartInterval : .max
    }

    var colorModel: ColorModel { components.count == 1 ? .grey : .yCbCr }
    var bandCount: Int { frame.unitRows }

    func makeBand() -> PlaneBand {
        PlaneBand(components.map { (width: frame.unitsPerRow * $0.unitWidth, height: $0.unitHeight) })
    }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        let planes = band.planes
        let isWhole = unsafe band.samples.withUnsafeMutableBufferPointer { samples in
            guard planes.count == components.count, let start = samples.baseAddress else { return false }
            for unit in 0..<frame.unitsPerRow {
                guard isSegmentOpen(bytes) else { return false }
                for index in components.indices {
                    // `makeBand` made room for as many units as there are in a row.
                    let corner = planes[index].offset + unit * components[index].unitWidth
                    let isWhole = unsafe components[index].decodeUnit(
                        &reader, &window, block, from: bytes, to: start + corner, stride: planes[index].stride)
                    guard isWhole else { return false }
                }
            }
            return true
        }
        guard isWhole else { throw .corrupt(.jpeg, "the pixels") }
    }

    /// Looks for the end marker behind the last row.
    mutating func finish(_ bytes: Span<UInt8>) throws(ImageError) {
        guard unsafe window.isAtEnd(&reader, from: bytes), window.marker == 0xD9 else {
            throw .corrupt(.jpeg, "the end of the pixels")
        }
    }

    /// Passes over a restart marker when one is due; false when another one is there, or none.
    ///
    /// They count from 0 to 7 and begin anew (T.81, E.1.4, E.2.4).
    @inline(__always)
    private mutating func isSegmentOpen(_ bytes: Span<UInt8>) -> Bool {
        if unitsUntilRestart == 0 {
            guard unsafe window.isAtEnd(&reader, from: bytes), window.marker == 0xD0 | restartCount & 7 else {
                return false
            }
            restartCount &+= 1
            window.restart()
            unsafe reader = unsafe window.reader()
            unitsUntilRestart = frame.restartInterval
            for index in components.indices { components[index].restart() }
        }
        unitsUntilRestart -= 1
        return true
    }
}
