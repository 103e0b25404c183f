#if WebP
    internal import CCodecs

    /// Decodes a lossy WebP without alpha with libwebp, as planes in a single band.
    ///
    /// libwebp decodes every pixel at any scale. Letting it scale down at once, by the mean of whole pixels, saves the
    /// memory of the planes.
    struct WebPPlaneDecoder: PlaneDecoder {
        private let frame: WebPFrame
        private let limits: ImageLimits
        private let size: PixelSize
        let layouts: [PlaneLayout]

        /// Prepares to decode at a whole fraction of the size that is at least twice the largest target, or at full
        /// size.
        init(_ frame: WebPFrame, for largest: PixelSize, limits: ImageLimits) throws(ImageError) {
            let stored = frame.size
            let divisor = max(1, min(stored.width / largest.width / 2, stored.height / largest.height / 2))
            let size = PixelSize(
                width: (stored.width + divisor - 1) / divisor, height: (stored.height + divisor - 1) / divisor)
            guard size.pixelCount <= limits.maxWorkingBytes / 2 else { throw .tooMuchMemory(.webp, limits: limits) }
            let chroma = PlaneLayout(
                horizontal: WebPPlaneDecoder.chromaAxis(of: stored.width, scaledTo: size.width),
                vertical: WebPPlaneDecoder.chromaAxis(of: stored.height, scaledTo: size.height))
            layouts = [PlaneLayout(size), chroma, chroma]
            self.size = size
            self.frame = frame
            self.limits = limits
        }

        /// Returns the axis of chroma; the last sample of an odd side extends half a sample beyond the edge, before and
        /// after scaling.
        private static func chromaAxis(of stored: Int, scaledTo scaled: Int) -> SampleAxis {
            let count = (scaled + 1) / 2
            return SampleAxis(count: count, extent: Double(stored * count) / Double((stored + 1) / 2 * 2))
        }

        var colorModel: ColorModel { .yCbCr }
        var bandCount: Int { 1 }

        func makeBand() -> PlaneBand {
            PlaneBand(layouts.map { (width: $0.horizontal.count, height: $0.vertical.count) })
        }

        func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError) {
            try frame.decode(bytes, scaledTo: size, channels: 1, into: &band.samples, limits: limits)
            var samples = band.samples.mutableSpan
            for index in 0..<size.pixelCount { samples[index] = LimitedRange.lumaToFull[Int(samples[index])] }
            for index in size.pixelCount..<samples.count {
                samples[index] = LimitedRange.chromaToFull[Int(samples[index])]
            }
        }

        func finish(_ bytes: Span<UInt8>) {}
    }

    extension WebPFrame {
        /// Decodes all pixels: RGB, or premultiplied RGBA if there is alpha or the caller requests it.
        func pixels(
            _ bytes: Span<UInt8>, limits: ImageLimits, withAlpha: Bool = false
        ) throws(ImageError) -> PixelBuffer {
            let channels = hasAlpha || withAlpha ? 4 : 3
            // libwebp allocates 4 bytes per pixel of a lossless image in addition to its output.
            guard size.pixelCount <= limits.maxWorkingBytes / (channels + 4) else {
                throw .tooMuchMemory(.webp, limits: limits)
            }
            var pixels = PixelBuffer(size: size, channels: channels)
            try decode(bytes, scaledTo: size, channels: channels, into: &pixels.bytes, limits: limits)
            return pixels
        }

        /// - Parameter samples: Room for all samples that `ccodecs_webp_decode` writes.
        fileprivate func decode(
            _ bytes: Span<UInt8>, scaledTo scaled: PixelSize, channels: Int, into samples: inout [UInt8],
            limits: ImageLimits
        ) throws(ImageError) {
            var report = CodecReport(.webp, limits: limits)
            let (stored, layout) = (
                ccodecs_layout(size, channels: channels), ccodecs_layout(scaled, channels: channels)
            )
            let code = unsafe bytes.extracting(data).withUnsafeBufferPointer { buffer in
                unsafe ccodecs_webp_decode(
                    buffer.baseAddress, buffer.count, stored, layout, &samples, &report.fault)
            }
            try report.check(code)
        }
    }
#endif
