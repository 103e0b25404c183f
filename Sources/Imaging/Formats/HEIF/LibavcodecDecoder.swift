#if HEIF
    internal import CCodecs

    /// Decodes the HEVC images of one file with libavcodec, in two thirds of libde265's time.
    ///
    /// It never refuses an image: those that it cannot decode are left to libde265. Both decode to the same samples. It
    /// starts no threads.
    final class LibavcodecDecoder {
        #if AVCodec
            private let handle: CodecHandle

            /// Loads libavcodec, unless it is loaded already; nil if it is not installed.
            ///
            /// - Parameter maxPixels: The maximum number of pixels of an image, as coded.
            init?(maxPixels: Int) {
                var pointer: OpaquePointer?
                let code = unsafe ccodecs_avcodec_open(maxPixels, &pointer)
                guard let handle = try? unsafe CodecHandle(pointer, close: ccodecs_avcodec_close) else { return nil }
                self.handle = handle
                guard code == .CCODECS_OK else { return nil }
            }

            /// Decodes an image's parameter sets and slices, each preceded by its length in four bytes; returns nil if
            /// libavcodec does not decode them.
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
