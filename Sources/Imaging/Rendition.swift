/// An image that was rendered from an original by a recipe.
public struct Rendition: Sendable, Hashable {
    /// The recipe of the rendition.
    public let recipe: Recipe
    /// The format: JPEG, PNG (also instead of a JPEG where alpha was kept), WebP or AVIF.
    public let format: ImageFormat
    /// The size in pixels, upright.
    public let size: PixelSize
    /// The encoded image, a complete file.
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
    /// The ThumbHash of the upright image: about 25 bytes from which a blurred preview is drawn.
    public let placeholder: [UInt8]
    /// The mean of the upright image's colours in sRGB, each pixel weighted by its alpha; white if all are transparent.
    public let color: RGBColor
    /// The warnings about the original; empty for an image without faults.
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
