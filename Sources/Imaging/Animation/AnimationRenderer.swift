#if WebP
    /// Makes an animated rendition of an animated picture.
    struct AnimationRenderer {
        let header: ImageHeader
        let recipe: Recipe
        let view: View
        let limits: ImageLimits

        /// Decodes all frames, and makes of each what the recipe says.
        func render(_ bytes: Span<UInt8>) throws(ImageError) -> Rendition {
            // Every frame shows the whole canvas, however small its own part of it is.
            try limits.check(header, framePixels: header.storedSize.pixelCount * header.frameCount)
            if header.format == .gif {
                let loopCount = try GIFHeader.read(bytes, acceptsTruncated: limits.acceptsTruncated).loopCount
                return try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
                    try render(bytes, by: unsafe GIFAnimationDecoder(buffer, loopCount: loopCount, limits: limits))
                }
            }
            let loopCount = try WebPHeader.read(bytes).loopCount
            return try render(bytes, by: WebPAnimationDecoder(bytes, loopCount: loopCount, limits: limits))
        }

        private func render(
            _ bytes: Span<UInt8>, by decoder: consuming some AnimationDecoder & ~Copyable
        ) throws(ImageError) -> Rendition {
            guard header.storedSize.pixelCount <= limits.maxWorkingBytes / 12 else {
                throw .tooMuchMemory(header.format, limits: limits)
            }
            var decoder = decoder
            var canvas = AnimationCanvas(header.storedSize)
            let size = header.orientation.applied(to: view.size)
            var encoder = try AnimationEncoder(
                size, hasAlpha: recipe.keepsAlpha, quality: recipe.quality, loopCount: decoder.loopCount)
            let conversion = ColorConversion(ColorDescription.read(bytes, format: header.format)).fitted(to: .rgba)
            var milliseconds = 0
            while let duration = try decoder.layNext(on: &canvas, from: bytes) {
                try encoder.add(try picture(of: canvas, conversion), at: milliseconds)
                milliseconds += duration
            }
            return Rendition(recipe: recipe, format: .webp, size: size, bytes: try encoder.finish(at: milliseconds))
        }

        private func picture(
            of canvas: AnimationCanvas, _ conversion: ColorConversion
        ) throws(ImageError) -> PixelBuffer {
            let decoding = PictureDecoding(header: header, limits: limits)
            let rows = RowPlanes(PixelRows(canvas.pixels))
            let picture = try decoding.read(rows, [UInt8]().span, to: [view]).pictures[view]
            guard let pixels = picture?.inSRGB(conversion).upright(header.orientation).pixels() else {
                throw .corrupt(header.format, "a frame")
            }
            return recipe.keepsAlpha ? pixels : pixels.flattened(on: recipe.background)
        }
    }
#endif
