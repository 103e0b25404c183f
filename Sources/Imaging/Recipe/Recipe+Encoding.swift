extension Recipe.Encoding {
    /// Returns the codec that writes renditions; JPEG has no alpha, so PNG replaces it.
    func encoder(hasAlpha: Bool) -> any ImageEncoder {
        switch self {
        case .jpeg, .progressiveJPEG: if hasAlpha { PNGCodec() } else { JPEGCodec() }
        case .webp, .animatedWebP: WebPCodec()
        case .png: PNGCodec()
        case .avif: HEIFCodec(format: .avif)
        }
    }
}

extension Recipe {
    /// The formats that renditions of the recipe may have.
    package var outputFormats: Set<ImageFormat> {
        Set((keepsAlpha ? [false, true] : [false]).map { encoding.encoder(hasAlpha: $0).format })
    }

    var encodingOptions: EncodingOptions {
        EncodingOptions(quality: quality, isProgressive: encoding == .progressiveJPEG, subsampling: subsampling)
    }

    /// Encodes an upright image of the recipe's size.
    func rendition(of sharp: PlanarImage) throws(ImageError) -> Rendition {
        let image = isBlurred ? sharp.blurred() : sharp
        // A YCbCr image is encoded directly, except as a PNG.
        let hasPixels = image.colorModel == .rgb || image.colorModel == .rgba || encoding == .png
        guard hasPixels, let pixels = image.pixels() else {
            let encoder = encoding.encoder(hasAlpha: false)
            let bytes = try encoder.encode(image, encodingOptions)
            return Rendition(recipe: self, format: encoder.format, size: image.size, bytes: bytes)
        }
        let whole = canvas.map { pixels.centered(on: PixelSize(width: $0, height: $0)) } ?? pixels
        let kept = keepsAlpha ? whole : whole.flattened(on: background)
        let encoder = encoding.encoder(hasAlpha: kept.hasAlpha)
        let bytes = try encoder.encode(kept, encodingOptions)
        return Rendition(recipe: self, format: encoder.format, size: kept.size, bytes: bytes)
    }
}
