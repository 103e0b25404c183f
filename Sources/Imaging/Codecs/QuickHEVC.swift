#if HEIF
    internal import CCodecs

    /// Decodes the HEVC pictures of one file through libavcodec, in two thirds of libde265's time.
    ///
    /// It never judges: what it will not have is libde265's to decode or to refuse, and what it takes has the same samples.
    /// It starts no thread.
    final class QuickHEVC {
        #if AVCodec
            private let handle: CodecHandle

            /// Loads libavcodec, unless it was loaded before; nil where it is not installed.
            ///
            /// - Parameter maxPixels: of a picture, as it is coded.
            init?(maxPixels: Int) {
                var pointer: OpaquePointer?
                let code = unsafe ccodecs_avcodec_open(maxPixels, &pointer)
                guard let handle = try? unsafe CodecHandle(pointer, close: ccodecs_avcodec_close) else { return nil }
                self.handle = handle
                guard code == .CCODECS_OK else { return nil }
            }

            /// Decodes a picture's parameter sets and slices, each behind its length in four bytes; nil where it will not
            /// have them.
            func picture(_ units: [UInt8], format: ImageFormat) -> CodedPicture? {
                var pointer: OpaquePointer?
                var picture = ccodecs_coded_picture()
                let code = unsafe ccodecs_avcodec_decode(handle.pointer, units, units.count, &pointer, &picture)
                guard let frame = try? unsafe CodecHandle(pointer, close: ccodecs_avcodec_release),
                    code == .CCODECS_OK
                else { return nil }
                return try? CodedPicture(frame, picture, format: format)
            }
        #else
            init?(maxPixels: Int) { return nil }

            func picture(_ units: [UInt8], format: ImageFormat) -> CodedPicture? { nil }
        #endif
    }
#endif
