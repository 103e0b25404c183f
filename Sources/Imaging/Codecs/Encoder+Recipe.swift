extension Encoder {
    /// The planes of a picture as a recipe wants them written, but as a PNG.
    static func encode(
        _ picture: Picture, by recipe: Recipe
    ) throws(ImageError) -> (format: ImageFormat, bytes: [UInt8]) {
        switch recipe.encoding {
        case .jpeg: (.jpeg, try jpeg(picture, quality: recipe.quality))
        case .progressiveJPEG: (.jpeg, try jpeg(picture, quality: recipe.quality, isProgressive: true))
        case .webp, .animatedWebP: (.webp, try webp(picture, quality: recipe.quality))
        case .avif: (.avif, try avif(picture, quality: recipe.quality))
        case .png: throw .unsupported("a PNG of planes")
        }
    }

    /// A picture of pixels as a recipe wants it written; alpha that is there is to be kept.
    static func encode(
        _ picture: PixelBuffer, by recipe: Recipe
    ) throws(ImageError) -> (format: ImageFormat, bytes: [UInt8]) {
        switch recipe.encoding {
        case .webp, .animatedWebP: (.webp, try webp(picture, quality: recipe.quality))
        case .png: (.png, try png(picture))
        case .avif:
            (.avif, try avif(picture, quality: recipe.quality, isChromaFull: isChromaFull(picture, recipe)))
        case .jpeg, .progressiveJPEG:
            if picture.hasAlpha {
                (.png, try png(picture))
            } else {
                (
                    .jpeg,
                    try jpeg(
                        picture, quality: recipe.quality, isProgressive: recipe.encoding == .progressiveJPEG,
                        isChromaFull: isChromaFull(picture, recipe))
                )
            }
        }
    }

    private static func isChromaFull(_ picture: PixelBuffer, _ recipe: Recipe) -> Bool {
        recipe.subsampling == .full || recipe.subsampling == .automatic && picture.needsFullChroma
    }
}
