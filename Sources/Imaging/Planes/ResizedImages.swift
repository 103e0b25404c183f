/// An image in all requested sizes, from one decode; as stored, not yet turned upright.
///
/// A smaller size is resampled from the next larger one that shows the whole image and has at least 1.25 times its
/// pixels along both sides, or 2.5 times if that one has halved chroma and the smaller one needs all of it: with such a
/// step a second filtering is not visible. A size without such a larger one is resampled from the decoder's rows. Only
/// these sizes are converted to sRGB; the others inherit the conversion.
struct ResizedImages {
    private var images: [ResizeTarget: PlanarImage] = [:]
    /// The warnings about the image.
    let warnings: [ImageWarning]

    /// Decodes the image; no target may be larger than the image.
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

    /// The image in one of the requested sizes.
    subscript(target: ResizeTarget) -> PlanarImage? { images[target] }
}

extension ResizedImages {
    /// A target and its source, a larger target; the source is nil if the target is resampled from the decoder's rows.
    struct Level: Equatable {
        let target: ResizeTarget
        let source: ResizeTarget?
    }

    /// Returns the distinct targets, the largest first, each after its source.
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
    /// The order by size; two targets of equal rank never serve as sources of each other.
    fileprivate var rank: (Int, Int, Int) { (scaled.pixelCount, scaled.width, chroma == .halved ? 0 : 1) }

    /// Returns the factor by which this target must be larger to be the source of a smaller one.
    fileprivate func factor(to smaller: ResizeTarget) -> Double {
        smaller.chroma == .full && chroma != .full ? 2.5 : 1.25
    }
}
