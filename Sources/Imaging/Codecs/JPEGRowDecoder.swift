internal import CCodecs

/// Decodes a JPEG through libjpeg, as pixels: for what is stored as RGB or as ink.
struct JPEGRowDecoder: RowDecoder, ~Copyable {
    private var source: JPEGSource
    let layout: PlaneLayout
    let colorModel: ColorModel
    /// A row of cyan, magenta, yellow and black; empty unless the picture is stored so.
    private var inkRow: [UInt8]

    /// Starts to decode at some eighths of the size.
    init(_ source: consuming JPEGSource, eighths: Int) throws(ImageError) {
        var rows = ccodecs_layout()
        try source.report.check(
            unsafe ccodecs_jpeg_start(source.handle.pointer, Int32(eighths), &rows, &source.report.fault))
        layout = PlaneLayout(
            component: .one, of: .one, in: source.size, eighths: eighths)
        colorModel = rows.channels == 1 ? .grey : .rgb
        inkRow = [UInt8](repeating: 0, count: source.isCMYK ? layout.horizontal.count * 4 : 0)
        self.source = source
    }

    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        guard inkRow.isEmpty else { return try readInkRow(into: &row) }
        let pointer = unsafe source.handle.pointer
        let code = unsafe row.withUnsafeMutableBufferPointer { buffer in
            unsafe ccodecs_jpeg_read_row(pointer, buffer.baseAddress, &source.report.fault)
        }
        try source.report.check(code)
    }

    /// Converts ink to light without a colour profile.
    ///
    /// Light is what neither the ink nor the black takes away. Adobe stores 255 - ink, which is light already.
    private mutating func readInkRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        try source.report.check(
            unsafe ccodecs_jpeg_read_row(source.handle.pointer, &inkRow, &source.report.fault))
        for pixel in 0..<layout.horizontal.count {
            let black = light(inkRow[pixel * 4 + 3])
            for channel in 0..<3 {
                row[pixel * 3 + channel] = UInt8((light(inkRow[pixel * 4 + channel]) * black + 127) / 255)
            }
        }
    }

    private func light(_ sample: UInt8) -> Int { source.isInverted ? Int(sample) : 255 - Int(sample) }

    mutating func finish() throws(ImageError) { try source.finish() }
}
