/// Decodes a usual JPEG as planes of a fraction of its size, one row of minimum coded units at a time.
///
/// Any error means that libjpeg must decode the image; `corrupt`, that no encoder writes such entropy-coded data.
@safe
struct ScaledJPEGDecoder: PlaneDecoder, ~Copyable {
    let layouts: [PlaneLayout]
    private let frame: SequentialFrame
    private var components: [ComponentDecoder]
    private var cursor: ScanCursor
    private let block = CoefficientBlock()

    /// Prepares to decode each component at its own scale; nil if the tables are not those of an 8-bit image.
    ///
    /// - Parameter eighths: The scale of each component: 1, 2, 4 or 8.
    init?(_ frame: SequentialFrame, eighths: [Int]) {
        let components = zip(frame.components, eighths).compactMap { ComponentDecoder($0, eighths: $1) }
        // No property is initialised before the initialiser returns nil: see `DCScanDecoder`.
        guard components.count == frame.components.count else { return nil }
        self.components = components
        layouts = zip(frame.components, eighths).map { frame.layout(of: $0, eighths: $1) }
        self.frame = frame
        cursor = ScanCursor(scanOffset: frame.scanOffset, restartInterval: frame.restartInterval)
    }

    var colorModel: ColorModel { components.count == 1 ? .grey : .yCbCr }
    var bandCount: Int { frame.unitRows }

    func makeBand() -> PlaneBand {
        PlaneBand(components.map { (width: frame.unitsPerRow * $0.unitWidth, height: $0.unitHeight) })
    }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        let planes = band.planes
        // Moved out of `self` temporarily; otherwise each unit would check whether the array is shared.
        var components: [ComponentDecoder] = []
        swap(&components, &self.components)
        defer { swap(&components, &self.components) }
        let isWhole = unsafe band.samples.withUnsafeMutableBufferPointer { samples in
            guard planes.count == components.count, let start = samples.baseAddress else { return false }
            var decoders = components.mutableSpan
            for unit in 0..<frame.unitsPerRow {
                switch cursor.nextUnit(bytes) {
                case .goesOn: break
                case .restarts: for index in decoders.indices { decoders[index].restart() }
                case .isMissing: return false
                }
                for index in decoders.indices {
                    // A plane of `makeBand` has room for a whole row of units.
                    let corner = planes[index].offset + unit * decoders[index].unitWidth
                    let isWhole = unsafe decoders[index].decodeUnit(
                        &cursor.reader, &cursor.window, block, from: bytes, to: start + corner,
                        stride: planes[index].stride)
                    guard isWhole else { return false }
                }
            }
            return true
        }
        guard isWhole else { throw .corrupt(.jpeg, "the pixels") }
    }

    /// Checks that the end marker follows the last row.
    mutating func finish(_ bytes: Span<UInt8>) throws(ImageError) {
        guard cursor.isAtEnd(bytes) else { throw .corrupt(.jpeg, "the end of the pixels") }
        guard cursor.window.marker == 0xD9 else { throw .unsupported("a JPEG with data after its pixels") }
    }
}
