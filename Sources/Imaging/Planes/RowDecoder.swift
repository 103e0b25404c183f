/// A decoder that gives an image's pixels row by row from the top, as stored: not yet turned upright.
protocol RowDecoder: ~Copyable {
    /// The layout of the pixels on the image.
    var layout: PlaneLayout { get }
    /// The kinds of a pixel's interleaved samples; never YCbCr.
    var colorModel: ColorModel { get }

    /// Fills the next row, `bytesPerRow` long; called `layout.vertical.count` times.
    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError)

    /// Reads what lies behind the last row, and refuses the image if it turns out not to be whole.
    mutating func finish() throws(ImageError)

    /// The warning about data that was missing or damaged, so that the pixels are a guess there; to be asked once it is
    /// finished.
    var warning: ImageWarning? { get }
}

extension RowDecoder where Self: ~Copyable {
    var bytesPerRow: Int { layout.horizontal.count * colorModel.planeCount }
    var warning: ImageWarning? { nil }
}
