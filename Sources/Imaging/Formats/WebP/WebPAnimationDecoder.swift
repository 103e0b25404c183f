#if WebP
    /// Decodes all frames of a WebP.
    struct WebPAnimationDecoder: AnimationDecoder {
        private var chunks: RIFFChunks
        private let limits: ImageLimits
        let loopCount: Int

        init(_ bytes: Span<UInt8>, loopCount: Int, limits: ImageLimits) throws(ImageError) {
            chunks = try RIFFChunks(fileOf: bytes)
            self.loopCount = loopCount
            self.limits = limits
        }

        mutating func layNext(on canvas: inout AnimationCanvas, from bytes: Span<UInt8>) throws(ImageError) -> Int? {
            while let chunk = try chunks.next(bytes) {
                guard bytes.starts(with: "ANMF", at: chunk.type) else { continue }
                let frame = try WebPAnimationFrame.read(bytes, in: chunk.payload)
                canvas.begin(
                    left: frame.left, top: frame.top, size: frame.frame.size,
                    disposal: frame.isCleared ? .clear : .keep)
                let pixels = try frame.frame.pixels(bytes, limits: limits, withAlpha: true)
                for y in 0..<pixels.size.height {
                    let row = pixels.bytes.span.extracting(y * pixels.bytesPerRow..<(y + 1) * pixels.bytesPerRow)
                    canvas.lay(row, left: frame.left, y: frame.top + y, isBlended: frame.isBlended)
                }
                return frame.durationMilliseconds
            }
            return nil
        }
    }

    extension WebPCodec: AnimationCodec {
        func decodeFrames(
            _ bytes: Span<UInt8>, with renderer: AnimationRenderer
        ) throws(ImageError) -> AnimatedRendition {
            let file = try WebPHeader.read(bytes)
            let decoder = try WebPAnimationDecoder(bytes, loopCount: file.loopCount, limits: renderer.limits)
            return try renderer.encode(bytes, by: decoder, colors: file.colors(bytes))
        }
    }
#endif
