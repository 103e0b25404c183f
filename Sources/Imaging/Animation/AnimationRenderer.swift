#if WebP
    /// A codec of a format whose files may have several frames.
    protocol AnimationCodec: ImageCodec {
        /// Passes a decoder of all frames to the renderer.
        func decodeFrames(
            _ bytes: Span<UInt8>, with renderer: AnimationRenderer
        ) throws(ImageError) -> AnimatedRendition
    }

    /// Renders an animated image as an animation.
    struct AnimationRenderer {
        let header: ImageHeader
        let recipe: Recipe
        let target: ResizeTarget
        let limits: ImageLimits

        /// Renders all frames; returns nil if the format has no animations.
        func render(_ bytes: Span<UInt8>) throws(ImageError) -> AnimatedRendition? {
            guard let codec = header.format.codec as? any AnimationCodec else { return nil }
            // Every frame costs the whole canvas, however small its own area is.
            try limits.check(header, framePixels: header.storedSize.pixelCount * header.frameCount)
            return try codec.decodeFrames(bytes, with: self)
        }

        /// Encodes all frames of a decoder.
        ///
        /// - Parameter colors: The meaning of the frames' samples.
        func encode(
            _ bytes: Span<UInt8>, by decoder: consuming some AnimationDecoder & ~Copyable, colors: ColorDescription
        ) throws(ImageError) -> AnimatedRendition {
            guard header.storedSize.pixelCount <= limits.maxWorkingBytes / 12 else {
                throw .tooMuchMemory(header.format, limits: limits)
            }
            var decoder = decoder
            var canvas = AnimationCanvas(header.storedSize)
            let size = header.orientation.applied(to: target.size)
            var encoder = try WebPAnimationEncoder(
                size, hasAlpha: recipe.keepsAlpha, quality: recipe.quality, loopCount: decoder.loopCount)
            let conversion = ColorConversion(colors).fitted(to: .rgba)
            var milliseconds = 0
            while let duration = try decoder.layNext(on: &canvas, from: bytes) {
                try encoder.add(try image(of: canvas, conversion), at: milliseconds)
                milliseconds += duration
            }
            let rendition = Rendition(
                recipe: recipe, format: .webp, size: size, bytes: try encoder.finish(at: milliseconds))
            return AnimatedRendition(rendition: rendition, warning: decoder.warning)
        }

        private func image(
            of canvas: AnimationCanvas, _ conversion: ColorConversion
        ) throws(ImageError) -> PixelBuffer {
            let reader = ImageReader(header: header, limits: limits, targets: [target])
            let rows = DeinterleavingDecoder(PixelRows(canvas.pixels))
            let image = try reader.read(rows, [UInt8]().span, colors: DecodedColors(.standard)).images[target]
            guard let pixels = image?.inSRGB(conversion).upright(header.orientation).pixels() else {
                throw .corrupt(header.format, "a frame")
            }
            return recipe.keepsAlpha ? pixels : pixels.flattened(on: recipe.background)
        }
    }
#endif
