/// A decoder that decodes an image's pixels row by row from the top, as stored: not yet turned upright.
protocol RowDecoder: ~Copyable {
    /// The position of the pixels on the image.
    var layout: PlaneLayout { get }
    /// The kinds of a pixel's interleaved samples; never YCbCr.
    var colorModel: ColorModel { get }

    /// Decodes the next row, which is `bytesPerRow` bytes long; called `layout.vertical.count` times.
    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError)

    /// Reads the data after the last row; throws if the image turns out to be incomplete.
    mutating func finish() throws(ImageError)

    /// The warning about missing or damaged data, whose pixels are estimates; complete after `finish`.
    var warning: ImageWarning? { get }
}

extension RowDecoder where Self: ~Copyable {
    var bytesPerRow: Int { layout.horizontal.count * colorModel.planeCount }
    var warning: ImageWarning? { nil }
}
