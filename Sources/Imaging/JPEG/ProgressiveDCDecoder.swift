/// Decodes a progressive JPEG at an eighth of its size, from the scans of its DC coefficients alone.
///
/// Holds two bytes a block. What the other scans are like it does not know: damage there does not show at an eighth.
struct ProgressiveDCDecoder: PlaneDecoder, ~Copyable {
    let layouts: [PlaneLayout]
    private let frame: SequentialFrame
    private let planes: [Blocks]
    /// Undivided by their steps, row by row, one component after the other.
    private var coefficients: [Int16]
    private var nextRow = 0

    /// The blocks of a component, with those that fill up the last minimum coded units.
    private struct Blocks {
        let offset: Int
        let rowCount: Int
        /// Blocks a row.
        let width: Int
        /// Rows, and blocks a row, of a scan that has this component alone (T.81, A.2.2).
        let ownRowCount: Int
        let ownWidth: Int
        let factors: SamplingFactors
    }

    /// Decodes all that is needed; nil when it is damaged.
    init?(_ progressive: ProgressiveFrame, from bytes: Span<UInt8>) {
        frame = progressive.frame
        layouts = frame.components.map { [frame] in frame.layout(of: $0, eighths: 1) }
        var (planes, count): ([Blocks], Int) = ([], 0)
        for (component, layout) in zip(frame.components, layouts) {
            let blocks = Blocks(
                offset: count, rowCount: frame.unitRows * component.factors.vertical,
                width: frame.unitsPerRow * component.factors.horizontal, ownRowCount: layout.vertical.count,
                ownWidth: layout.horizontal.count, factors: component.factors)
            count += blocks.rowCount * blocks.width
            planes.append(blocks)
        }
        self.planes = planes
        coefficients = Array(repeating: 0, count: count)
        for scan in progressive.scans { guard decode(scan, from: bytes) else { return nil } }
    }

    var colorModel: ColorModel { planes.count == 1 ? .grey : .yCbCr }
    var bandCount: Int { frame.unitRows }

    func makeBand() -> PlaneBand { PlaneBand(planes.map { (width: $0.width, height: $0.factors.vertical) }) }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        for (index, blocks) in planes.enumerated() {
            let (plane, step) = (band.planes[index], Int(frame.components[index].quantization[0]))
            for row in 0..<blocks.factors.vertical {
                let source = blocks.offset + (nextRow * blocks.factors.vertical + row) * blocks.width
                let target = plane.offset + row * plane.stride
                for column in 0..<blocks.width {
                    let dc = Int(coefficients[source + column]) * step
                    band.samples[target + column] = EighthTransform.sample(dc, bitsBelowPoint: 3)
                }
            }
        }
        nextRow += 1
    }

    /// That the picture has an end was seen when its segments were read.
    func finish(_ bytes: Span<UInt8>) {}

    // MARK: Scans

    private mutating func decode(_ scan: ProgressiveFrame.Scan, from bytes: Span<UInt8>) -> Bool {
        guard var decoder = DCScanDecoder(scan) else { return false }
        guard scan.parts.count == 1 else {
            for row in 0..<frame.unitRows {
                for column in 0..<frame.unitsPerRow {
                    guard decoder.beginUnit(bytes) else { return false }
                    for (number, part) in scan.parts.enumerated() {
                        let blocks = planes[part.component]
                        for y in 0..<blocks.factors.vertical {
                            let start = (row * blocks.factors.vertical + y) * blocks.width
                            for x in 0..<blocks.factors.horizontal {
                                let place = blocks.offset + start + column * blocks.factors.horizontal + x
                                guard decoder.decode(number, &coefficients[place], bytes) else { return false }
                            }
                        }
                    }
                }
            }
            return decoder.isAtEnd(bytes)
        }
        let blocks = planes[scan.parts[0].component]
        for row in 0..<blocks.ownRowCount {
            for column in 0..<blocks.ownWidth {
                let place = blocks.offset + row * blocks.width + column
                guard decoder.beginUnit(bytes), decoder.decode(0, &coefficients[place], bytes) else { return false }
            }
        }
        return decoder.isAtEnd(bytes)
    }
}
