/// How a decoder's rows are laid out, and what part of them is picture.
struct RowLayout: Sendable {
    /// Rows and pixels a row.
    let size: PixelSize
    /// 1 is grey; 3 is red, green, blue; 4 adds alpha, with which the colours are multiplied.
    let channels: Int
    /// The picture's true extent in these pixels: less than `size` where the last column reaches beyond the edge.
    let extentWidth: Double
    let extentHeight: Double

    init(size: PixelSize, channels: Int) {
        self.init(size: size, channels: channels, extentWidth: Double(size.width), extentHeight: Double(size.height))
    }

    init(size: PixelSize, channels: Int, extentWidth: Double, extentHeight: Double) {
        self.size = size
        self.channels = channels
        self.extentWidth = extentWidth
        self.extentHeight = extentHeight
    }

    var bytesPerRow: Int { size.width * channels }
}

/// A decoder that gives a picture row by row from the top, as stored: not yet turned upright.
protocol RowDecoder: ~Copyable {
    var layout: RowLayout { get }

    /// Fills the next row, `layout.bytesPerRow` long; called `layout.size.height` times.
    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError)

    /// Reads what lies behind the last row, and refuses the picture if it turns out not to be whole.
    mutating func finish() throws(ImageError)
}
