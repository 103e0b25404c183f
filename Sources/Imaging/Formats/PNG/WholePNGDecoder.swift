internal import CCodecs
internal import CKernels

/// Decodes usual PNGs faster than libpng: 8-bit grey, RGB or RGBA, not interlaced, and not too large.
///
/// All pixel data is decompressed at once, which makes it fast, and unfiltered some rows at a time (PNG specification,
/// third edition, sections 9 and 10).
struct WholePNGDecoder: PlaneDecoder, ~Copyable {
    /// The maximum number of bytes that are decompressed; larger images are left to libpng, which holds only a row in
    /// memory.
    static let maxBytes = 64 << 20
    /// The number of rows in a band.
    private static let bandHeight = 16

    let layouts: [PlaneLayout]
    let colorModel: ColorModel
    private let size: PixelSize
    /// The filter type and the samples of each row.
    private var rows: [UInt8]
    private var nextRow = 0
    /// The row above the first one, which is defined as zeros.
    private let zeros: [UInt8]

    /// Decompresses the pixels; nil for anything unusual or invalid, which libpng then decodes or refuses.
    init?(_ bytes: Span<UInt8>, header: ImageHeader, limits: ImageLimits) {
        guard let chunks = PNGChunks.read(bytes), chunks.size == header.storedSize else { return nil }
        let rowBytes = chunks.size.width * chunks.channels
        let (byteCount, isTooLarge) = (rowBytes + 1).multipliedReportingOverflow(by: chunks.size.height)
        guard !isTooLarge, byteCount <= min(WholePNGDecoder.maxBytes, limits.maxWorkingBytes),
            let rows = chunks.unpacked(from: bytes, byteCount: byteCount),
            stride(from: 0, to: byteCount, by: rowBytes + 1).allSatisfy({ rows[$0] <= 4 })
        else { return nil }
        size = chunks.size
        colorModel = ColorModel(channels: chunks.channels)
        layouts = [PlaneLayout](repeating: PlaneLayout(chunks.size), count: chunks.channels)
        zeros = [UInt8](repeating: 0, count: rowBytes)
        self.rows = rows
    }

    var bandCount: Int { (size.height + WholePNGDecoder.bandHeight - 1) / WholePNGDecoder.bandHeight }

    func makeBand() -> PlaneBand {
        PlaneBand(layouts.map { _ in (width: size.width, height: WholePNGDecoder.bandHeight) })
    }

    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
        let (channels, rowCount) = (layouts.count, min(WholePNGDecoder.bandHeight, size.height - nextRow))
        let (rowBytes, planeStride) = (zeros.count, size.width * WholePNGDecoder.bandHeight)
        guard rowCount > 0, band.samples.count == planeStride * channels else { throw .truncated(.png) }
        let start = nextRow * (rowBytes + 1)
        unsafe rows.withUnsafeMutableBufferPointer { rows in
            unsafe band.samples.withUnsafeMutableBufferPointer { samples in
                guard let rows = rows.baseAddress, let samples = samples.baseAddress else { return }
                // `rows` has `height` rows with a byte before each; `samples` has the size of a band, `zeros` that of a
                // row.
                unsafe zeros.withUnsafeBufferPointer { zeros in
                    let above = unsafe nextRow == 0 ? zeros.baseAddress : UnsafePointer(rows + start - rowBytes)
                    unsafe ckernels_png_unfilter(rows + start, rowCount, above, rowBytes, channels)
                }
                for row in 0..<rowCount {
                    unsafe ckernels_split_pixels(
                        rows + start + row * (rowBytes + 1) + 1, channels, samples + row * size.width, planeStride,
                        size.width)
                }
            }
        }
        nextRow += rowCount
        if colorModel == .rgba { WholePNGDecoder.premultiply(&band, sampleCount: rowCount * size.width) }
    }

    /// Does nothing: the chunks were checked when they were read.
    func finish(_ bytes: Span<UInt8>) {}

    /// Multiplies the colours by alpha, as `MutableSpan.premultiply` does.
    private static func premultiply(_ band: inout PlaneBand, sampleCount: Int) {
        let planes = band.planes.map(\.offset)
        for sample in 0..<sampleCount {
            let alpha = Int(band.samples[planes[3] + sample])
            guard alpha != 255 else { continue }
            for plane in planes[..<3] {
                band.samples[plane + sample] = UInt8((Int(band.samples[plane + sample]) * alpha + 127) / 255)
            }
        }
    }
}
