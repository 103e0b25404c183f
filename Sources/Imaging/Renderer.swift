/// Turns an image's bytes into its renditions.
///
/// A value without state: rendering is synchronous, keeps one thread busy, and may run on any number of threads at a
/// time. The same bytes and recipe give the same rendition, byte for byte, on the same codec libraries.
///
/// Memory beyond the input, at most: for each size that is asked for, 3 bytes a pixel (4 with alpha or of ink, 1.5 of a
/// JPEG or a WebP) and `12 × scale + 12` rows of the decoded image, 1 byte a sample; for the one size that is just
/// converted to sRGB, turned or written 9 bytes a pixel more (18, 4.5; 40 as an AVIF); one band of decoded rows: up to
/// 32 of a JPEG, 1 of others; a colour profile, at most 8 MB, and what lcms2 makes of it.
///
/// What is not decoded row by row adds, held under `ImageLimits.maxWorkingBytes`: a PNG of 8 bits and up to 64 MiB all
/// of its samples, and its packed bytes; an interlaced PNG 1, 3 or 4 bytes a pixel, and up to 8 where each sample is
/// to be looked at (`CodedSamples`); a GIF 1 and its packed bytes; a JPEG that is cut a copy of its bytes, and one of
/// several scans 2⅛ bytes a stored sample (3.2 bytes a pixel at 4:2:0), a lossy WebP 1.5, another one 8; of a HEIC or
/// AVIF a row of tiles, or all of it if it has none, as it is coded, a byte a pixel, and of a HEIC a plane more: 3.5
/// bytes a pixel of an 8-bit HEIC at 4:2:0, 7 of a 10-bit AVIF at 4:4:4; an animation 12.
public struct Renderer: Sendable {
    /// The limits of what an image may cost.
    public let limits: ImageLimits

    /// Makes a renderer that refuses what is beyond the limits.
    public init(limits: ImageLimits = ImageLimits()) { self.limits = limits }

    /// Renders an image by each of the recipes, from one decode.
    ///
    /// - Parameter others: Recipes of the same set whose renditions are there already: they have a hand in these, as they would
    ///   if they were rendered, too (`Recipe.fingerprint(among:)`), and cost no encoding.
    /// - Returns: the renditions in the order of the recipes, upright, in sRGB, with none of the original's metadata.
    /// - Throws: `ImageError` when the bytes are no whole image of a known format, or are beyond a limit. Nothing is
    ///   rendered in part: it is all recipes or none.
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
        // Of what is shown blurred alone, no preview shows more.
        let all = recipes + others
        let isBlurred = !all.isEmpty && all.allSatisfy(\.isBlurred)
        let upright = resized[preview]?.upright(header.orientation)
        let small = (isBlurred ? upright?.blurred() : upright)?.pixels()
        return RenderedImage(
            header: header, renditions: renditions, placeholder: small.map(ThumbHash.encode) ?? [],
            color: small?.meanColor ?? .white, warnings: warnings)
    }

    /// The animated rendition; nil where the recipe asks for a still one, or the image has one frame.
    private func animation(
        _ bytes: Span<UInt8>, header: ImageHeader, recipe: Recipe, target: ResizeTarget
    ) throws(ImageError) -> AnimatedRendition? {
        #if WebP
            guard recipe.encoding == .animatedWebP, header.frameCount > 1, !recipe.isBlurred else { return nil }
            return try AnimationRenderer(header: header, recipe: recipe, target: target, limits: limits).render(bytes)
        #else
            // A build without libwebp accepts no recipe of several frames.
            return nil
        #endif
    }

    private static func target(of header: ImageHeader, for recipe: Recipe) -> ResizeTarget {
        ResizeTarget(
            scaled: header.orientation.applied(to: recipe.scaledSize(for: header.size)),
            orientation: header.orientation, cropped: recipe.fittedSize(for: header.size),
            chroma: recipe.hasFullChroma ? .full : .halved)
    }

    private static func preview(of header: ImageHeader) -> ResizeTarget {
        ResizeTarget(ThumbHash.inputSize(for: header.storedSize))
    }
}
