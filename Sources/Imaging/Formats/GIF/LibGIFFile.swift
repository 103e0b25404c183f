internal import CCodecs

/// A GIF that giflib reads frame by frame.
struct LibGIFFile: ~Copyable {
    private let handle: CodecHandle
    private var report: CodecReport
    /// The frame whose pixels are read next.
    private(set) var frame: ccodecs_gif_info

    /// Reads up to the first frame's pixels.
    ///
    /// The bytes are borrowed and must outlive the file.
    @unsafe
    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: ImageLimits) throws(ImageError) {
        var report = CodecReport(.gif, limits: limits)
        var frame = ccodecs_gif_info()
        var pointer: OpaquePointer?
        let code = unsafe ccodecs_gif_open(bytes.baseAddress, bytes.count, &pointer, &frame, &report.fault)
        let handle = try unsafe CodecHandle(pointer, close: ccodecs_gif_close)
        try report.check(code)
        self.handle = handle
        self.report = report
        self.frame = frame
    }

    /// Decodes the frame's pixels with our own decoder; returns nil if the frame has no pixels, or so many that giflib
    /// must read them row by row.
    ///
    /// - Parameter bytes: All bytes of the file.
    func pixels(_ bytes: Span<UInt8>, maxBytes: Int) throws(ImageError) -> GIFPixels? {
        let count = frame.size.pixelCount
        guard count > 0 else { return nil }
        guard count <= maxBytes else {
            guard !frame.has_wide_codes else { throw .corrupt(.gif, "codes of more than 8 bits") }
            return nil
        }
        return try GIFPixels(bytes, at: unsafe ccodecs_gif_data_offset(handle.pointer), size: frame.size)
    }

    /// Reads the next row of palette indices, as stored.
    mutating func readLine(to indices: inout [UInt8], at start: Int, count: Int) throws(ImageError) {
        let pointer = unsafe handle.pointer
        let code = unsafe indices.withUnsafeMutableBufferPointer { buffer in
            let line = unsafe UnsafeMutableBufferPointer(rebasing: buffer[start..<start + count])
            return unsafe ccodecs_gif_read_line(pointer, line.baseAddress, &report.fault)
        }
        try report.check(code)
    }

    /// Moves to the next frame; returns false after the last one.
    mutating func next() throws(ImageError) -> Bool {
        var hasFrame = false
        try report.check(unsafe ccodecs_gif_next(handle.pointer, &frame, &hasFrame, &report.fault))
        return hasFrame
    }
}
