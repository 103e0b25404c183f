internal import CCodecs

/// A JPEG whose header libjpeg has read.
struct LibJPEGImage: ~Copyable {
    let handle: CodecHandle
    var report: CodecReport
    /// The size in pixels, as stored.
    let size: PixelSize
    /// Whether the image is grey or YCbCr, and can be read as planes.
    let isPlanar: Bool
    let isCMYK: Bool
    /// Whether CMYK samples are stored as 255 - ink.
    let isInverted: Bool
    /// The warning that corresponds to libjpeg's warnings; known after `finish`.
    private(set) var warning: ImageWarning?
    /// Whether the bytes end before the image does.
    private let isCut: Bool

    /// Opens the image.
    ///
    /// The bytes are borrowed and must outlive the decoder.
    ///
    /// - Parameter isCut: Whether the bytes are those of a `CutJPEG`: an early end then means missing data, not damage.
    @unsafe
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, header: ImageHeader, limits: ImageLimits, isCut: Bool = false
    ) throws(ImageError) {
        var report = CodecReport(.jpeg, limits: limits)
        var info = ccodecs_jpeg_info()
        var pointer: OpaquePointer?
        let code = unsafe ccodecs_jpeg_open(
            bytes.baseAddress, bytes.count, max(1, limits.maxWorkingBytes),
            Int32(clamping: limits.scanCount(for: header.storedSize)),
            &pointer, &info, &report.fault)
        let handle = try unsafe CodecHandle(pointer, close: ccodecs_jpeg_close)
        try report.check(code)
        let size = PixelSize(width: Int(info.width), height: Int(info.height))
        guard size == header.storedSize else { throw .corrupt(.jpeg, "two frame headers") }
        self.size = size
        isPlanar = info.is_planar
        isCMYK = info.is_cmyk
        isInverted = info.is_inverted
        self.isCut = isCut
        self.handle = handle
        self.report = report
    }

    /// Reads up to the end marker.
    ///
    /// libjpeg continues after damage, and fills missing data with grey; the image is accepted unless a large part is
    /// missing.
    mutating func finish() throws(ImageError) {
        var warnings = ccodecs_jpeg_warnings()
        try report.check(unsafe ccodecs_jpeg_finish(handle.pointer, &warnings, &report.fault))
        guard warnings.truncated == 0 else { throw .truncated(.jpeg) }
        let missing = MissingPart(permille: Int(warnings.lost_permille))
        guard missing.isSmall else { throw isCut ? .truncated(.jpeg, missing.words) : .corrupt(.jpeg, missing.words) }
        if warnings.damaged > 0 { warning = isCut ? .truncated : .damaged }
    }
}
