internal import CCodecs

/// Decodes a GIF's first frame, laid on its canvas; what the frame leaves uncovered is transparent, as browsers have it.
struct GIFDecoder: RowDecoder, ~Copyable {
    private let handle: CodecHandle
    private var report: CodecReport
    private let frame: ccodecs_gif_info
    let layout: PlaneLayout
    let colorModel: ColorModel
    /// Four bytes for each palette index: premultiplied red, green, blue, and alpha.
    private let palette: [UInt8]
    /// The whole frame's palette indices if it is interlaced, else one row's.
    private var indices: [UInt8]
    private var nextRow = 0
    /// Whether the file ends inside one of its frames.
    private let isCut: Bool

    private var frameWidth: Int { Int(frame.width) }
    private var frameRows: Range<Int> { Int(frame.top)..<Int(frame.top) + Int(frame.height) }

    /// Reads up to the first frame's pixels.
    ///
    /// The bytes are borrowed: they must outlive the decoder.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, header: ImageHeader, limits: ImageLimits) throws(ImageError) {
        var report = CodecReport(.gif, limits: limits)
        var frame = ccodecs_gif_info()
        var pointer: OpaquePointer?
        let code = unsafe ccodecs_gif_open(bytes.baseAddress, bytes.count, &pointer, &frame, &report.fault)
        let handle = try unsafe CodecHandle(pointer, close: ccodecs_gif_close)
        try report.check(code)
        let canvas = PixelSize(width: Int(frame.canvas_width), height: Int(frame.canvas_height))
        guard canvas == header.storedSize else { throw .corrupt(.gif, "two headers") }
        let byteCount = Int(frame.width) * (frame.is_interlaced ? Int(frame.height) : 1)
        guard byteCount <= limits.maxWorkingBytes else { throw .tooMuchMemory(.gif, limits: limits) }
        layout = PlaneLayout(canvas)
        colorModel = header.hasAlpha ? .rgba : .rgb
        palette = frame.colors
        indices = [UInt8](repeating: 0, count: byteCount)
        // Nobody else could have let it pass.
        isCut = unsafe limits.acceptsTruncated && (try? GIFHeader.read(bytes.span)) == nil
        self.frame = frame
        self.handle = handle
        self.report = report
    }

    private mutating func readInterlacedFrame() throws(ImageError) {
        for row in frame.storedRows { try readLine(to: row * frameWidth) }
    }

    private mutating func readLine(to start: Int) throws(ImageError) {
        guard frameWidth > 0 else { return }
        let (pointer, end) = unsafe (handle.pointer, start + frameWidth)
        let code = unsafe indices.withUnsafeMutableBufferPointer { buffer in
            let line = unsafe UnsafeMutableBufferPointer(rebasing: buffer[start..<end])
            return unsafe ccodecs_gif_read_line(pointer, line.baseAddress, &report.fault)
        }
        try report.check(code)
    }

    mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
        defer { nextRow += 1 }
        let (channels, left) = (colorModel.planeCount, Int(frame.left))
        let isInFrame = frameRows.contains(nextRow)
        if frame.is_interlaced {
            if nextRow == 0 { try readInterlacedFrame() }
        } else if isInFrame {
            try readLine(to: 0)
        }
        for index in row.indices { row[index] = 0 }
        guard isInFrame else { return }
        let start = frame.is_interlaced ? (nextRow - frameRows.lowerBound) * frameWidth : 0
        for x in (left..<left + frameWidth).clamped(to: 0..<layout.horizontal.count) {
            let color = Int(indices[start + x - left]) * 4
            for channel in 0..<channels { row[x * channels + channel] = palette[color + channel] }
        }
    }

    /// The rest of the file was walked over when the header was read.
    mutating func finish() throws(ImageError) {
        if isCut { throw .truncated(.gif) }
    }
}

extension ccodecs_gif_info {
    /// Four bytes for each palette index: premultiplied red, green, blue, and alpha.
    var colors: [UInt8] {
        var colors: [UInt8] = []
        unsafe withUnsafeBytes(of: palette) { palette in
            for index in 0..<256 {
                let isTransparent = index == Int(transparent_index)
                colors += isTransparent ? [0, 0, 0, 0] : unsafe palette[index * 3..<index * 3 + 3] + [255]
            }
        }
        return colors
    }

    /// The rows in the order in which they are stored.
    ///
    /// Interlaced they come in four passes: every eighth, the eighths between, the fourths, the halves (GIF89a,
    /// appendix E).
    var storedRows: [Int] {
        let rows = Int(height)
        guard is_interlaced else { return Array(0..<rows) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: rows, by: $1)) }
    }
}
