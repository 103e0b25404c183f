/// An image that a recipe made from an original.
public struct Rendition: Sendable, Hashable {
    /// How it was made.
    public let recipe: Recipe
    /// JPEG, PNG (where its alpha was kept, too), WebP or AVIF.
    public let format: ImageFormat
    /// Its size, upright.
    public let size: PixelSize
    /// The encoded image.
    public let bytes: [UInt8]

    package init(recipe: Recipe, format: ImageFormat, size: PixelSize, bytes: [UInt8]) {
        self.recipe = recipe
        self.format = format
        self.size = size
        self.bytes = bytes
    }
}

/// All that came of rendering one image.
public struct RenderedImage: Sendable, Hashable {
    /// What the original said of itself.
    public let header: ImageHeader
    /// One for each recipe, in the order of the recipes.
    public let renditions: [Rendition]
    /// A ThumbHash of the upright image: about 25 bytes that draw a blurred preview of it.
    public let placeholder: [UInt8]
    /// The mean of the upright image's colours, in sRGB, each pixel weighted by its alpha; white of nothing.
    public let color: RGBColor
    /// What is to be known of it; empty for an image that is as it should be.
    public let warnings: [ImageWarning]

    package init(
        header: ImageHeader, renditions: [Rendition], placeholder: [UInt8], color: RGBColor, warnings: [ImageWarning]
    ) {
        self.header = header
        self.renditions = renditions
        self.placeholder = placeholder
        self.color = color
        self.warnings = warnings
    }
}
