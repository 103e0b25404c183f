extension Encoder {
    /// The planes of a picture as a recipe wants them written.
    static func encode(
        _ picture: Picture, by recipe: Recipe
    ) throws(ImageError) -> (format: ImageFormat, bytes: [UInt8]) {
        switch recipe.encoding {
        case .jpeg: (.jpeg, try jpeg(picture, quality: recipe.quality))
        case .progressiveJPEG: (.jpeg, try jpeg(picture, quality: recipe.quality, isProgressive: true))
        case .webp, .animatedWebP: (.webp, try webp(picture, quality: recipe.quality))
        }
    }

    /// A picture of pixels as a recipe wants it written; alpha that is there is to be kept.
    static func encode(
        _ picture: PixelBuffer, by recipe: Recipe
    ) throws(ImageError) -> (format: ImageFormat, bytes: [UInt8]) {
        switch recipe.encoding {
        case .webp, .animatedWebP: (.webp, try webp(picture, quality: recipe.quality))
        case .jpeg, .progressiveJPEG:
            if picture.hasAlpha {
                (.png, try png(picture))
            } else {
                (
                    .jpeg,
                    try jpeg(picture, quality: recipe.quality, isProgressive: recipe.encoding == .progressiveJPEG)
                )
            }
        }
    }
}
