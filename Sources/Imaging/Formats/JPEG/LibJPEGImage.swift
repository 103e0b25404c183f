internal import CCodecs

/// A JPEG that libjpeg has read up to its pixels.
struct LibJPEGImage: ~Copyable {
    let handle: CodecHandle
    var report: CodecReport
    /// The size as stored.
    let size: PixelSize
    /// Whether it is grey or YCbCr, and can be read as planes.
    let isPlanar: Bool
    let isCMYK: Bool
    /// Whether ink is stored as 255 less ink.
    let isInverted: Bool
    /// The warning that stands for libjpeg's complaints; known once `finish` was called.
    private(set) var warning: ImageWarning?
    /// Whether the bytes end before the image does.
    private let isCut: Bool

    /// Opens the image.
    ///
    /// The bytes are borrowed: they must outlive the decoder.
    ///
    /// - Parameter isCut: Whether the bytes are those of a `CutJPEG`: then an end too early is what they lack, and no damage.
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

    /// Reads on to the end marker.
    ///
    /// libjpeg goes on after damage, and fills what has no data with grey: so does this, unless a good part is missing.
    mutating func finish() throws(ImageError) {
        var warnings = ccodecs_jpeg_warnings()
        try report.check(unsafe ccodecs_jpeg_finish(handle.pointer, &warnings, &report.fault))
        guard warnings.truncated == 0 else { throw .truncated(.jpeg) }
        let missing = MissingPart(permille: Int(warnings.lost_permille))
        guard missing.isSmall else { throw isCut ? .truncated(.jpeg, missing.words) : .corrupt(.jpeg, missing.words) }
        if warnings.damaged > 0 { warning = isCut ? .truncated : .damaged }
    }
}
