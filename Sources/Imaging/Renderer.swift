/// Turns a picture's bytes into its renditions.
///
/// A value without state: rendering is synchronous, keeps one thread busy, and may run on any number of threads at a
/// time. The same bytes and recipe give the same rendition, byte for byte, on the same codec libraries.
///
/// Memory beyond the input, at most: for each size that is asked for, 3 bytes a pixel (4 with alpha) and
/// `6 × scale + 1` rows of its width at 2 bytes a sample; one row of the decoded picture. What cannot be decoded row
/// by row adds, held under `ImageLimits.maxWorkingBytes`: an interlaced PNG 1, 3 or 4 bytes a pixel, an interlaced GIF
/// 1 byte a pixel, a progressive JPEG 2 bytes a stored sample (3 bytes a pixel at 4:2:0).
public struct Renderer: Sendable {
    /// What a picture may cost.
    public let limits: ImageLimits

    /// Makes a renderer that refuses what is beyond the limits.
    public init(limits: ImageLimits = ImageLimits()) { self.limits = limits }

    /// Renders a JPEG, PNG or GIF by each of the recipes, from one decode.
    ///
    /// - Returns: the renditions in the order of the recipes, upright, with none of the original's metadata.
    /// - Throws: `ImageError` when the bytes are no whole picture of a known format, or are beyond a limit. Nothing is
    ///   rendered in part: it is all recipes or none.
    public func render(_ bytes: Span<UInt8>, recipes: [Recipe]) throws(ImageError) -> RenderedImage {
        let header = try ImageHeader.read(bytes, limits: limits)
        let placeholderSize = ThumbHash.inputSize(for: header.storedSize)
        let sizes = recipes.map { header.orientation.applied(to: $0.scaledSize(for: header.size)) }
        let pyramid = try Pyramid(
            decoding: bytes, header: header, sizes: sizes + [placeholderSize], limits: limits)
        var renditions: [Rendition] = []
        for (recipe, size) in zip(recipes, sizes) {
            guard let picture = pyramid[size] else { continue }
            renditions.append(try rendition(of: picture, header: header, recipe: recipe))
        }
        let preview = pyramid[placeholderSize]?.upright(
            header.orientation, cropped: header.orientation.applied(to: placeholderSize))
        return RenderedImage(
            header: header, renditions: renditions, placeholder: preview.map(ThumbHash.encode) ?? [])
    }

    private func rendition(
        of picture: PixelBuffer, header: ImageHeader, recipe: Recipe
    ) throws(ImageError) -> Rendition {
        let size = recipe.fittedSize(for: header.size)
        let upright = picture.upright(header.orientation, cropped: size)
        let format: ImageFormat = recipe.keepsAlpha && upright.hasAlpha ? .png : .jpeg
        let bytes =
            format == .png
            ? try Encoder.png(upright)
            : try Encoder.jpeg(upright.flattened(on: recipe.background), quality: recipe.quality)
        return Rendition(recipe: recipe, format: format, size: size, bytes: bytes)
    }
}
