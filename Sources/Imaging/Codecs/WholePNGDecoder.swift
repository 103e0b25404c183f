internal import CCodecs
internal import CKernels

/// Decodes what most PNGs are, faster than libpng: 8-bit grey, RGB or RGBA, not interlaced, and not too large.
///
/// All pixels are unpacked at once, which is what makes it fast, and filtered back row by row (PNG specification, third
/// edition, sections 9 and 10).
struct WholePNGDecoder: RowDecoder, ~Copyable {
    /// More than this is left to libpng, which holds no more than a row.
    static let maxBytes = 64 << 20

    let layout: PlaneLayout
    let colorModel: ColorModel
    /// For each row its filter's number and its samples.
    private var rows: [UInt8]
    private var nextRow = 0
    /// What stands above the first row.
    private let zeros: [UInt8]

    /// Unpacks the pixels; nil for whatever is unusual or not quite right: then libpng is to say what it thinks of it.
    init?(_ bytes: Span<UInt8>, header: ImageHeader) {
        guard let chunks = PNGChunks.read(bytes), chunks.size == header.storedSize else { return nil }
        let rowBytes = chunks.size.width * chunks.channels
        let (byteCount, isTooLarge) = (rowBytes + 1).multipliedReportingOverflow(by: chunks.size.height)
        guard !isTooLarge, byteCount <= WholePNGDecoder.maxBytes else { return nil }
        var rows = [UInt8](repeating: 0, count: byteCount)
        guard chunks.unpack(from: bytes, to: &rows) else { return nil }
        for start in stride(from: 0, to: byteCount, by: rowBytes + 1) where rows[start] > 4 { return nil }
        colorModel = ColorModel(channels: chunks.channels)
        layout = PlaneLayout(chunks.size)
        zeros = [UInt8](repeating: 0, count: rowBytes)
        self.rows = rows
    }

    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        let (count, channels) = (bytesPerRow, colorModel.planeCount)
        let start = nextRow * (count + 1)
        guard start + count < rows.count else { throw .truncated(.png) }
        let filter = ckernels_png_filter(rawValue: UInt32(rows[start]))
        unsafe rows.withUnsafeMutableBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            // The row lies inside, as was just seen, and so does the one above, of as many bytes.
            unsafe zeros.withUnsafeBufferPointer { zeros in
                let above = unsafe nextRow == 0 ? zeros.baseAddress : UnsafePointer(base + start - count)
                unsafe ckernels_png_unfilter(filter, base + start + 1, above, count, channels)
            }
        }
        for index in row.indices { row[index] = rows[start + 1 + index] }
        nextRow += 1
        if colorModel == .rgba { row.premultiply() }
    }

    /// That nothing is missing was seen when the chunks were read.
    func finish() {}
}
