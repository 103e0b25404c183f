/// An image in all the sizes that are asked for, from one decode; as stored, not yet turned upright.
///
/// A smaller size is made from the next larger one that shows the whole image and has at least 1.25 times its pixels
/// along both sides, or 2.5 times where it has half the chroma: at such a step a second filtering leaves no trace. A
/// size that has no such larger one is made from the decoder's rows, and these alone are converted to sRGB: the others
/// inherit it.
struct ResizedImages {
    private var images: [ResizeTarget: PlanarImage] = [:]
    /// The warnings about the image.
    let warnings: [ImageWarning]

    /// Decodes the image; no target is larger than it.
    init(
        decoding bytes: Span<UInt8>, header: ImageHeader, targets: [ResizeTarget], limits: ImageLimits
    ) throws(ImageError) {
        let levels = ResizedImages.levels(of: targets)
        let reader = ImageReader(
            header: header, limits: limits, targets: levels.filter { $0.source == nil }.map(\.target))
        let decoded = try header.format.codec.decode(bytes, with: reader)
        let conversion = ColorConversion(decoded.colors.description)
            .fitted(to: decoded.images.values.first?.colorModel ?? .rgb)
        let isProfileIgnored = if case .unknown = conversion { true } else { false }
        warnings = (decoded.warning.map { [$0] } ?? []) + (isProfileIgnored ? [.profileIgnored] : [])
        images = decoded.images.mapValues { $0.inSRGB(conversion, matrix: decoded.colors.matrix) }
        for level in levels {
            if let source = level.source { images[level.target] = images[source]?.resampled(to: level.target) }
        }
    }

    /// The image in one of the sizes that were asked for.
    subscript(target: ResizeTarget) -> PlanarImage? { images[target] }
}

extension ResizedImages {
    /// A target and the larger one that it is made from; nil where it is made from the decoder's rows.
    struct Level: Equatable {
        let target: ResizeTarget
        let source: ResizeTarget?
    }

    /// The targets, each once, the largest first, each after the one that it is made from.
    static func levels(of targets: [ResizeTarget]) -> [Level] {
        var levels: [Level] = []
        for target in Set(targets).sorted(by: { $0.rank > $1.rank }) {
            let source = levels.last {
                $0.target.isWhole && $0.target.scaled.covers(target.scaled, factor: $0.target.factor(to: target))
            }
            levels.append(Level(target: target, source: source?.target))
        }
        return levels
    }
}

extension ResizeTarget {
    /// The order by size; the same for two only if one may stand for the other as a source.
    fileprivate var rank: (Int, Int, Int) { (scaled.pixelCount, scaled.width, chroma == .halved ? 0 : 1) }

    /// The factor by which an image must be larger than one that is made from it.
    fileprivate func factor(to smaller: ResizeTarget) -> Double {
        smaller.chroma == .full && chroma != .full ? 2.5 : 1.25
    }
}
