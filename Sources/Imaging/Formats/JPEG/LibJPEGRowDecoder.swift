internal import CCodecs

/// Decodes a JPEG with libjpeg as pixels, for images that are stored as RGB or CMYK.
struct LibJPEGRowDecoder: RowDecoder, ~Copyable {
    private var source: LibJPEGImage
    let layout: PlaneLayout
    let colorModel: ColorModel

    /// Starts to decode at a number of eighths of the size.
    init(_ source: consuming LibJPEGImage, eighths: Int) throws(ImageError) {
        var rows = ccodecs_layout()
        try source.report.check(
            unsafe ccodecs_jpeg_start(source.handle.pointer, Int32(eighths), &rows, &source.report.fault))
        layout = PlaneLayout(
            component: .one, of: .one, in: source.size, eighths: eighths)
        colorModel = source.isCMYK ? .cmyk : rows.channels == 1 ? .grey : .rgb
        self.source = source
    }

    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        let pointer = unsafe source.handle.pointer
        let code = unsafe row.withUnsafeMutableBufferPointer { buffer in
            unsafe ccodecs_jpeg_read_row(pointer, buffer.baseAddress, &source.report.fault)
        }
        try source.report.check(code)
        if source.isCMYK && !source.isInverted {
            for index in row.indices { row[index] = 255 - row[index] }
        }
    }

    var warning: ImageWarning? { source.warning }

    mutating func finish() throws(ImageError) { try source.finish() }
}
