#if HEIF
    internal import CCodecs

    /// Decodes the HEVC images of one file through libavcodec, in two thirds of libde265's time.
    ///
    /// It never judges: what it will not have is libde265's to decode or to refuse, and what it takes has the same
    /// samples. It starts no thread.
    final class LibavcodecDecoder {
        #if AVCodec
            private let handle: CodecHandle

            /// Loads libavcodec, unless it was loaded before; nil where it is not installed.
            ///
            /// - Parameter maxPixels: The most pixels of an image, as it is coded.
            init?(maxPixels: Int) {
                var pointer: OpaquePointer?
                let code = unsafe ccodecs_avcodec_open(maxPixels, &pointer)
                guard let handle = try? unsafe CodecHandle(pointer, close: ccodecs_avcodec_close) else { return nil }
                self.handle = handle
                guard code == .CCODECS_OK else { return nil }
            }

            /// Decodes an image's parameter sets and slices, each behind its length in four bytes; nil where it will
            /// not have them.
            func image(_ units: [UInt8], format: ImageFormat) -> CodedImage? {
                var pointer: OpaquePointer?
                var image = ccodecs_coded_image()
                let code = unsafe ccodecs_avcodec_decode(handle.pointer, units, units.count, &pointer, &image)
                guard let frame = try? unsafe CodecHandle(pointer, close: ccodecs_avcodec_release),
                    code == .CCODECS_OK
                else { return nil }
                return try? CodedImage(frame, image, format: format)
            }
        #else
            init?(maxPixels: Int) { return nil }

            func image(_ units: [UInt8], format: ImageFormat) -> CodedImage? { nil }
        #endif
    }
#endif
