/// An image that a recipe made from an original.
public struct Rendition: Sendable, Hashable {
    /// The recipe by which it was made.
    public let recipe: Recipe
    /// The format: JPEG, PNG (also where alpha was kept), WebP or AVIF.
    public let format: ImageFormat
    /// The size in pixels, upright.
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

/// The result of rendering one image.
public struct RenderedImage: Sendable, Hashable {
    /// The original's header.
    public let header: ImageHeader
    /// The renditions, one for each recipe, in the order of the recipes.
    public let renditions: [Rendition]
    /// A ThumbHash of the upright image: about 25 bytes that draw a blurred preview of it.
    public let placeholder: [UInt8]
    /// The mean of the upright image's colours, in sRGB, each pixel weighted by its alpha; white of nothing.
    public let color: RGBColor
    /// The warnings; none for an image that is as it should be.
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
