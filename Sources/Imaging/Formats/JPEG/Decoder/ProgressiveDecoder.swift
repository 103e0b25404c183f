/// Decodes a progressive JPEG as planes of a fraction of its size, from the scans that the scale needs.
///
/// A scale of an eighth needs only the scans of DC coefficients: the others are skipped, and damage in them has no
/// effect. For a coefficient that is not kept, one bit records whether it is zero, since further bits of the others are
/// coded depending on it.
struct ProgressiveDecoder: PlaneDecoder, ~Copyable {
    let layouts: [PlaneLayout]
    private let frame: SequentialFrame
    private let components: [ProgressiveCoefficients]
    private let block: CoefficientBlock
    private var nextRow: Int

    /// Decodes all required scans; nil if they are damaged, or would need more than `maxBytes` of memory.
    ///
    /// - Parameter eighths: The scale of each component: 1, 2, 4 or 8.
    init?(_ progressive: ProgressiveFrame, eighths: [Int], from bytes: Span<UInt8>, maxBytes: Int) {
        let frame = progressive.frame
        let byteCount = zip(frame.components, eighths).reduce(0) {
            $0 + ProgressiveCoefficients.byteCount($1.0, of: frame, eighths: $1.1)
        }
        guard byteCount <= maxBytes else { return nil }
        let components = zip(frame.components, eighths).compactMap {
            ProgressiveCoefficients($0, of: frame, eighths: $1)
        }
        guard components.count == frame.components.count else { return nil }
        for scan in progressive.scans(for: components.map(\.places)) {
            guard ProgressiveDecoder.decode(scan, of: frame, into: components, from: bytes) else { return nil }
        }
        // No property is initialised before the initialiser returns nil: see `DCScanDecoder`.
        layouts = zip(frame.components, eighths).map { frame.layout(of: $0, eighths: $1) }
        self.frame = frame
        self.components = components
        block = CoefficientBlock()
        nextRow = 0
    }

    var colorModel: ColorModel { components.count == 1 ? .grey : .yCbCr }
    var bandCount: Int { frame.unitRows }

    func makeBand() -> PlaneBand {
        PlaneBand(components.map { (width: $0.width * $0.side, height: $0.factors.vertical * $0.side) })
    }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        for index in components.indices {
            let isWhole =
                switch components[index].side {
                case 1: invert(EighthTransform.self, index, into: &band)
                case 2: invert(QuarterTransform.self, index, into: &band)
                case 4: invert(HalfTransform.self, index, into: &band)
                default: invert(FullTransform.self, index, into: &band)
                }
            guard isWhole else { throw .corrupt(.jpeg, "the pixels") }
        }
        nextRow += 1
    }

    /// Does nothing: the end of the image was found when its segments were read.
    func finish(_ bytes: Span<UInt8>) {}

    /// Computes a component's samples of the next band; returns false if a block exceeds the range of libjpeg's
    /// numbers.
    private func invert<Transform: ScaledTransform>(
        _ transform: Transform.Type, _ index: Int, into band: inout PlaneBand
    ) -> Bool {
        let (component, plane) = (components[index], band.planes[index])
        let steps = Dequantizer.steps(frame.components[index].quantization, side: Transform.side)
        return unsafe band.samples.withUnsafeMutableBufferPointer { samples in
            guard let start = samples.baseAddress else { return false }
            for row in 0..<component.factors.vertical {
                for column in 0..<component.width {
                    let values = unsafe component.block(nextRow * component.factors.vertical + row, column).values
                    let dc = unsafe Int(values[0]) * Int(steps[0])
                    guard (-4096..<4088).contains(dc) else { return false }
                    var magnitude = 0
                    for slot in steps.indices {
                        let coefficient = unsafe values[slot] &* steps[slot]
                        block[slot] = coefficient
                        magnitude &+= Int(coefficient.magnitude)
                    }
                    // The first pass of libjpeg's transform has 16 bits for up to 4 × 1.39 times this sum; noise of
                    // only black and white exceeds it, and is left to libjpeg.
                    guard Transform.side < 8 || magnitude <= 5900 else { return false }
                    // A plane of `makeBand` has a row of blocks, `vertical` times, and this block is inside.
                    let corner = plane.offset + row * Transform.side * plane.stride + column * Transform.side
                    unsafe transform.invert(block, to: start + corner, stride: plane.stride)
                }
            }
            return true
        }
    }

    // MARK: Scans

    private static func decode(
        _ scan: ProgressiveFrame.Scan, of frame: SequentialFrame, into components: [ProgressiveCoefficients],
        from bytes: Span<UInt8>
    ) -> Bool {
        guard scan.band.lowerBound == 0 else {
            guard var decoder = ACScanDecoder(scan) else { return false }
            return decoder.decode(into: components[scan.parts[0].component], from: bytes)
        }
        guard var decoder = DCScanDecoder(scan) else { return false }
        return decoder.decode(into: components, of: frame, from: bytes)
    }
}
