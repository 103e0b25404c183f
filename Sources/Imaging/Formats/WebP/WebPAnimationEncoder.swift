#if WebP
    internal import CCodecs

    /// Encodes an animated WebP.
    struct WebPAnimationEncoder: ~Copyable {
        private let handle: CodecHandle
        private let size: PixelSize
        private let channels: Int
        private var report: CodecReport

        /// - Parameter loopCount: The number of times that the animation is shown; 0 means forever.
        init(_ size: PixelSize, hasAlpha: Bool, quality: Int, loopCount: Int) throws(ImageError) {
            let report = CodecReport(.webp, limits: ImageLimits())
            let channels = hasAlpha ? 4 : 3
            var pointer: OpaquePointer?
            let code = unsafe ccodecs_webp_animation_open(
                ccodecs_layout(size, channels: channels), Int32(clamping: quality), Int32(min(loopCount, 65_535)),
                &pointer)
            let handle = try unsafe CodecHandle(pointer, close: ccodecs_webp_animation_close)
            try report.check(code)
            self.size = size
            self.channels = channels
            self.handle = handle
            self.report = report
        }

        /// Adds an image of the encoder's size, which is shown from a time on, in milliseconds from the start.
        mutating func add(_ image: PixelBuffer, at milliseconds: Int) throws(ImageError) {
            let image = image.unpremultiplied()
            guard image.size == size, image.channels == channels else {
                throw .corrupt(.webp, "a frame of another size")
            }
            let code = unsafe ccodecs_webp_animation_add(
                handle.pointer, image.bytes, Int32(clamping: milliseconds), &report.fault)
            try report.check(code)
        }

        /// Returns the file; its last image is shown until a time, in milliseconds from the start.
        mutating func finish(at milliseconds: Int) throws(ImageError) -> [UInt8] {
            let pointer = unsafe handle.pointer
            return try unsafe WebPCodec().collect { bytes, count, fault in
                unsafe ccodecs_webp_animation_finish(pointer, Int32(clamping: milliseconds), bytes, count, fault)
            }
        }
    }
#endif
