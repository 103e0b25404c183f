internal import CCodecs

/// Decodes a PNG of any colour type and bit depth to grey, RGB or premultiplied RGBA of 8 bits and standard dynamic
/// range.
struct LibPNGDecoder: RowDecoder, ~Copyable {
    private let handle: CodecHandle
    private var report: CodecReport
    let layout: PlaneLayout
    let colorModel: ColorModel
    /// The whole image as stored, if it is interlaced: its first rows are complete only at the end.
    private var image: [UInt8]
    private var nextRow = 0
    /// The conversion of samples; nil if they need none.
    private let converter: CodedRowConverter?
    /// A row as stored, if it must be converted.
    private var stored: [UInt8]

    /// The maximum memory that libpng may allocate for a chunk, in bytes; text, profiles and similar chunks are
    /// skipped.
    private static let maxChunkBytes = 8 * 1_048_576

    /// Reads up to the pixels.
    ///
    /// The bytes are borrowed and must outlive the decoder.
    ///
    /// - Parameter samples: The meaning of samples of limited range or high dynamic range; grey then becomes RGB.
    @unsafe
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, header: ImageHeader, samples: CodedSamples? = nil, limits: ImageLimits
    ) throws(ImageError) {
        var report = CodecReport(.png, limits: limits)
        var info = ccodecs_png_info()
        var pointer: OpaquePointer?
        let code = unsafe ccodecs_png_open(
            bytes.baseAddress, bytes.count, UInt32(clamping: limits.maxSide), UInt32(clamping: limits.maxSide),
            LibPNGDecoder.maxChunkBytes, samples != nil, &pointer, &info, &report.fault)
        let handle = try unsafe CodecHandle(pointer, close: ccodecs_png_close)
        try report.check(code)
        let size = PixelSize(width: Int(info.layout.width), height: Int(info.layout.height))
        guard size == header.storedSize else { throw .corrupt(.png, "two headers") }
        let channels = Int(info.layout.channels)
        let pixelCount = info.is_interlaced ? size.pixelCount : 0
        let bytesPerPixel = channels * Int(info.bits) / 8
        guard pixelCount <= limits.maxWorkingBytes / bytesPerPixel else {
            throw .tooMuchMemory(.png, limits: limits)
        }
        converter = samples.map { CodedRowConverter($0, channels: channels, bits: Int(info.bits)) }
        stored = [UInt8](repeating: 0, count: samples == nil ? 0 : size.width * bytesPerPixel)
        layout = PlaneLayout(size)
        colorModel = ColorModel(channels: channels)
        image = [UInt8](repeating: 0, count: pixelCount * bytesPerPixel)
        self.handle = handle
        self.report = report
    }

    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        if let converter {
            var stored = [UInt8]()
            swap(&stored, &self.stored)
            var span = stored.mutableSpan
            try readStored(into: &span)
            converter.convert(span.span, to: &row)
            swap(&stored, &self.stored)
        } else {
            try readStored(into: &row)
        }
        if colorModel == .rgba { row.premultiply() }
    }

    private mutating func readStored(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        if image.isEmpty {
            let pointer = unsafe handle.pointer
            let code = unsafe row.withUnsafeMutableBufferPointer { buffer in
                unsafe ccodecs_png_read_row(pointer, buffer.baseAddress, &report.fault)
            }
            try report.check(code)
        } else {
            if nextRow == 0 { try report.check(unsafe ccodecs_png_read_all(handle.pointer, &image, &report.fault)) }
            let start = nextRow * row.count
            for index in row.indices { row[index] = image[start + index] }
        }
        nextRow += 1
    }

    /// Reads up to the end chunk; a file that is cut after its last pixel is accepted.
    mutating func finish() throws(ImageError) {
        let code = unsafe ccodecs_png_finish(handle.pointer, &report.fault)
        if code != .CCODECS_TRUNCATED { try report.check(code) }
    }
}
