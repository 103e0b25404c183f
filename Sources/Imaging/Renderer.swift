/// Renders an image's bytes as its renditions.
///
/// A renderer has no state: rendering is synchronous, occupies one thread, and may run on any number of threads at a
/// time. The same bytes and recipe give the same rendition, byte for byte, with the same codec libraries.
///
/// The memory in addition to the input is at most the sum of:
/// - for each requested size, 3 bytes per pixel (4 with alpha or for CMYK, 1.5 for a JPEG or a WebP) and
///   `12 × scale + 12` rows of the decoded image, 1 byte per sample;
/// - for the one size that is currently converted to sRGB, turned or encoded, 9 bytes per pixel (18 with alpha or for
///   CMYK, 4.5 for a JPEG or a WebP, 40 for an AVIF);
/// - one band of decoded rows: up to 32 rows of a JPEG, 1 row of other formats;
/// - a colour profile, at most 8 MB, and lcms2's tables for it.
///
/// Images that are not decoded row by row need more, within `ImageLimits.maxWorkingBytes`:
/// - an 8-bit PNG whose samples have up to 64 MiB: all its samples and its compressed bytes;
/// - an interlaced PNG: 1, 3 or 4 bytes per pixel, and up to 8 if each sample is converted (`CodedSamples`);
/// - a GIF: 1 byte per pixel and its compressed bytes;
/// - a truncated JPEG: a copy of its bytes; a JPEG of several scans: 2⅛ bytes per stored sample (3.2 bytes per pixel at
///   4:2:0);
/// - a lossy WebP: 1.5 bytes per pixel; any other WebP: 8;
/// - a HEIC or AVIF: a row of tiles, or the whole image if it has none, in its coded form, and 1 byte per pixel; for a
///   HEIC one more plane: 3.5 bytes per pixel of an 8-bit HEIC at 4:2:0, 7 of a 10-bit AVIF at 4:4:4;
/// - an animation: 12 bytes per pixel.
public struct Renderer: Sendable {
    /// The limits on the cost of an image.
    public let limits: ImageLimits

    /// Creates a renderer that refuses images beyond the limits.
    public init(limits: ImageLimits = ImageLimits()) { self.limits = limits }

    /// Renders an image with each of the recipes, from one decode.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the whole file.
    ///   - recipes: The recipes of the renditions.
    ///   - others: Recipes of the same set whose renditions already exist. They affect the result as if they were
    ///     rendered, too (`Recipe.fingerprint(among:)`), but are not encoded.
    /// - Returns: The renditions in the order of the recipes, upright, in sRGB, without the original's metadata.
    /// - Throws: `ImageError` if the bytes are not a complete image of a supported format, or exceed a limit. Then no
    ///   recipe is rendered.
    public func render(
        _ bytes: Span<UInt8>, recipes: [Recipe], beside others: [Recipe] = []
    ) throws(ImageError) -> RenderedImage {
        let header = try ImageHeader.read(bytes, limits: limits)
        let targets = recipes.map { Renderer.target(of: header, for: $0) }
        let preview = Renderer.preview(of: header)
        let unseen = others.map { Renderer.target(of: header, for: $0) } + [preview]
        let resized = try ResizedImages(decoding: bytes, header: header, targets: targets + unseen, limits: limits)
        var (renditions, warnings) = ([Rendition](), resized.warnings)
        for (recipe, target) in zip(recipes, targets) {
            if let animation = try animation(bytes, header: header, recipe: recipe, target: target) {
                renditions.append(animation.rendition)
                if let warning = animation.warning, !warnings.contains(warning) { warnings.append(warning) }
            } else if let image = resized[target]?.upright(header.orientation) {
                renditions.append(try recipe.rendition(of: image))
            }
        }
        // If all renditions are blurred, the preview shows no more than they do.
        let all = recipes + others
        let isBlurred = !all.isEmpty && all.allSatisfy(\.isBlurred)
        let upright = resized[preview]?.upright(header.orientation)
        let small = (isBlurred ? upright?.blurred() : upright)?.pixels()
        return RenderedImage(
            header: header, renditions: renditions, placeholder: small.map(ThumbHash.encode) ?? [],
            color: small?.meanColor ?? .white, warnings: warnings)
    }

    /// Returns the animated rendition; nil if the recipe is for a still one, or the image has one frame.
    private func animation(
        _ bytes: Span<UInt8>, header: ImageHeader, recipe: Recipe, target: ResizeTarget
    ) throws(ImageError) -> AnimatedRendition? {
        #if WebP
            guard recipe.encoding == .animatedWebP, header.frameCount > 1, !recipe.isBlurred else { return nil }
            return try AnimationRenderer(header: header, recipe: recipe, target: target, limits: limits).render(bytes)
        #else
            // A build without libwebp accepts no recipes for animations.
            return nil
        #endif
    }

    private static func target(of header: ImageHeader, for recipe: Recipe) -> ResizeTarget {
        ResizeTarget(
            scaled: header.orientation.applied(to: recipe.scaledSize(for: header.size)),
            orientation: header.orientation, cropped: recipe.pictureSize(for: header.size),
            chroma: recipe.hasFullChroma ? .full : .halved)
    }

    private static func preview(of header: ImageHeader) -> ResizeTarget {
        ResizeTarget(ThumbHash.inputSize(for: header.storedSize))
    }
}
