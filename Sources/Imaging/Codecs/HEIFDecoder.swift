#if HEIF
    internal import CCodecs

    /// Decodes a HEIC or AVIF, or the small copy in it that is enough, to RGB or premultiplied RGBA, through libheif.
    ///
    /// libheif decodes all of it at once, on this thread and those that its codec starts: one of libde265. It turns and
    /// mirrors it, and knows the range and the matrix of its colours.
    struct HEIFDecoder: RowDecoder, ~Copyable {
        private let handle: CodecHandle
        private var report: CodecReport
        let layout: PlaneLayout
        let colorModel: ColorModel

        /// Decodes what is enough for views of a size.
        ///
        /// The bytes are borrowed: they must outlive the decoder.
        @unsafe
        init(
            _ bytes: UnsafeBufferPointer<UInt8>, header: HEIFHeader, for largest: PixelSize, limits: ImageLimits
        ) throws(ImageError) {
            let format = header.header.format
            let (item, size) = header.source(for: largest)
            let channels = header.header.hasAlpha ? 4 : 3
            // The codec's planes, of two bytes a sample perhaps, as they are and turned; 6 bytes a pixel are usual.
            guard size.pixelCount <= limits.maxWorkingBytes / (channels * 4) else {
                throw .tooMuchMemory(format, limits: limits)
            }
            var report = CodecReport(format, limits: limits)
            var pointer: OpaquePointer?
            let opened = unsafe ccodecs_heif_open(
                bytes.baseAddress, bytes.count, UInt32(clamping: min(limits.maxSide, Int(Int32.max))), &pointer,
                &report.fault)
            let handle = try unsafe CodecHandle(pointer, close: ccodecs_heif_close)
            try report.check(opened)
            let decoded = unsafe ccodecs_heif_decode(
                handle.pointer, UInt32(clamping: item), ccodecs_layout(size, channels: channels), &report.fault)
            try report.check(decoded)
            layout = PlaneLayout(size)
            colorModel = ColorModel(channels: channels)
            self.handle = handle
            self.report = report
        }

        mutating func readRow(into row: inout MutableSpan<UInt8>) throws(ImageError) {
            let pointer = unsafe handle.pointer
            unsafe row.withUnsafeMutableBufferPointer { buffer in
                unsafe ccodecs_heif_read_row(pointer, buffer.baseAddress)
            }
            if colorModel == .rgba, !isPremultiplied { row.premultiply() }
        }

        private var isPremultiplied: Bool { unsafe ccodecs_heif_is_premultiplied(handle.pointer) }

        /// All of it was decoded before the first row.
        mutating func finish() {}
    }
#endif
