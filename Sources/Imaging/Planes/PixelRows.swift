/// A row decoder over an image that its codec could only decode as a whole.
struct PixelRows: RowDecoder, ~Copyable {
    private let pixels: PixelBuffer
    private var nextRow = 0
    let layout: PlaneLayout

    init(_ pixels: consuming PixelBuffer) {
        layout = PlaneLayout(pixels.size)
        self.pixels = pixels
    }

    var colorModel: ColorModel { ColorModel(channels: pixels.channels) }

    mutating func readRow(into row: inout MutableSpan<UInt8>) {
        let start = nextRow * bytesPerRow
        nextRow += 1
        let source = pixels.bytes.span.extracting(start..<start + bytesPerRow)
        for index in row.indices { row[index] = source[index] }
    }

    mutating func finish() {}
}
