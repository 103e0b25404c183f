/// A decoder that splits the pixels of a row decoder into planes; each band has one row.
struct DeinterleavingDecoder<Rows: RowDecoder & ~Copyable>: PlaneDecoder, ~Copyable {
    private var rows: Rows
    private var row: [UInt8]
    let layouts: [PlaneLayout]

    init(_ rows: consuming Rows) {
        row = [UInt8](repeating: 0, count: rows.bytesPerRow)
        layouts = [PlaneLayout](repeating: rows.layout, count: rows.colorModel.planeCount)
        self.rows = rows
    }

    var colorModel: ColorModel { rows.colorModel }
    var bandCount: Int { rows.layout.vertical.count }

    func makeBand() -> PlaneBand { PlaneBand(layouts.map { (width: $0.horizontal.count, height: 1) }) }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        try readRow()
        let (pixels, channels, width) = (row.span, layouts.count, rows.layout.horizontal.count)
        var samples = band.samples.mutableSpan
        // The planes follow one another, and each has one row.
        var target = 0
        for channel in 0..<channels {
            var source = channel
            let end = target + width
            while target < end {
                samples[target] = pixels[source]
                target += 1
                source += channels
            }
        }
    }

    private mutating func readRow() throws(ImageError) {
        var target = [UInt8]()
        swap(&target, &row)
        var span = target.mutableSpan
        try rows.readRow(into: &span)
        swap(&target, &row)
    }

    var warning: ImageWarning? { rows.warning }

    mutating func finish(_ bytes: Span<UInt8>) throws(ImageError) { try rows.finish() }
}
