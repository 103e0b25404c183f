internal import CCodecs

/// Decodes a JPEG at an eighth, a quarter, half or all of its size.
struct JPEGDecoder: RowDecoder, ~Copyable {
    private let handle: CodecHandle
    private var report: CodecReport
    let layout: RowLayout
    private let isInverted: Bool
    /// A row of cyan, magenta, yellow and black; empty unless the picture is stored so.
    private var inkRow: [UInt8]

    /// Starts decoding at the smallest scale that serves a picture of the size `largest`.
    ///
    /// The bytes are borrowed: they must outlive the decoder.
    @unsafe
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, header: ImageHeader, largest: PixelSize, limits: ImageLimits
    ) throws(ImageError) {
        var report = CodecReport(.jpeg, limits: limits)
        var info = ccodecs_jpeg_info()
        var rows = ccodecs_layout()
        var pointer: OpaquePointer?
        let code = unsafe ccodecs_jpeg_open(
            bytes.baseAddress, bytes.count, max(1, limits.maxWorkingBytes), Int32(clamping: limits.maxScans),
            &pointer, &info, &report.fault)
        let handle = try unsafe CodecHandle(pointer, close: ccodecs_jpeg_close)
        try report.check(code)
        let stored = PixelSize(width: Int(info.width), height: Int(info.height))
        guard stored == header.storedSize else { throw .corrupt(.jpeg, "two frame headers") }
        let eighths = JPEGDecoder.eighths(of: stored, for: largest)
        try report.check(unsafe ccodecs_jpeg_start(handle.pointer, Int32(eighths), &rows, &report.fault))
        layout = RowLayout(
            size: PixelSize(width: Int(rows.width), height: Int(rows.height)),
            channels: min(3, Int(rows.channels)),
            extentWidth: Double(stored.width * eighths) / 8, extentHeight: Double(stored.height * eighths) / 8)
        isInverted = info.is_inverted
        inkRow = [UInt8](repeating: 0, count: info.is_cmyk ? layout.size.width * 4 : 0)
        self.handle = handle
        self.report = report
    }

    /// The scale, in eighths: the smallest that oversamples the largest size asked for.
    ///
    /// An eighth and a quarter must be twice that size along both sides, so that the resampler's filter and not the
    /// scaled transform decides on sharpness; a half will do from 1.25 times on, where the difference can hardly be
    /// measured and a full decode costs far more.
    static func eighths(of stored: PixelSize, for largest: PixelSize) -> Int {
        for (eighths, factor) in [(1, 2), (2, 2), (4, 1.25)]
        where stored.covers(largest, factor: factor * 8 / Double(eighths)) { return eighths }
        return 8
    }

    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        guard inkRow.isEmpty else { return try readInkRow(into: &row) }
        let pointer = unsafe handle.pointer
        let code = unsafe row.withUnsafeMutableBufferPointer { buffer in
            unsafe ccodecs_jpeg_read_row(pointer, buffer.baseAddress, &report.fault)
        }
        try report.check(code)
    }

    /// Converts ink to light without a colour profile.
    ///
    /// Light is what neither the ink nor the black takes away. Adobe stores 255 - ink, which is light already.
    private mutating func readInkRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        try report.check(unsafe ccodecs_jpeg_read_row(handle.pointer, &inkRow, &report.fault))
        for pixel in 0..<layout.size.width {
            let black = light(inkRow[pixel * 4 + 3])
            for channel in 0..<3 {
                row[pixel * 3 + channel] = UInt8((light(inkRow[pixel * 4 + channel]) * black + 127) / 255)
            }
        }
    }

    private func light(_ sample: UInt8) -> Int { isInverted ? Int(sample) : 255 - Int(sample) }

    /// libjpeg fills what is missing or damaged with guesses and only warns; such a picture is refused.
    mutating func finish() throws(ImageError) {
        var warnings = ccodecs_jpeg_warnings()
        try report.check(unsafe ccodecs_jpeg_finish(handle.pointer, &warnings, &report.fault))
        guard warnings.truncated == 0 else { throw .truncated(.jpeg) }
        guard warnings.corrupt == 0 else { throw .corrupt(.jpeg, "\(warnings.corrupt) faults in the pixels") }
    }
}
