/// All views of a picture that are asked for, from one decode; as stored, not yet turned upright.
///
/// A smaller view is made from the next larger one that shows the whole picture and has at least 1.25 times its pixels
/// along both sides, or 2.5 times where it has half the chroma: at such a step a second filtering leaves no trace. A view that has no such larger one is made from
/// the decoder's rows, and these alone are converted to sRGB: the others inherit it.
struct Pyramid {
    private var pictures: [View: Picture] = [:]
    /// What is to be known of the picture.
    let warnings: [ImageWarning]

    /// Decodes the picture; no view is larger than it.
    init(decoding bytes: Span<UInt8>, header: ImageHeader, views: [View], limits: ImageLimits) throws(ImageError) {
        let levels = Pyramid.levels(of: views)
        let decoded = try PictureDecoding(header: header, limits: limits).decode(
            bytes, to: levels.filter { $0.source == nil }.map(\.view))
        let conversion = ColorConversion(decoded.colors.description)
            .fitted(to: decoded.pictures.values.first?.colorModel ?? .rgb)
        let isProfileIgnored = if case .unknown = conversion { true } else { false }
        warnings =
            (decoded.isTruncated ? [.truncated] : []) + (decoded.isDamaged ? [.damaged] : [])
            + (isProfileIgnored ? [.profileIgnored] : [])
        pictures = decoded.pictures.mapValues { $0.inSRGB(conversion, matrix: decoded.colors.matrix) }
        for level in levels {
            if let source = level.source { pictures[level.view] = pictures[source]?.resampled(to: level.view) }
        }
    }

    /// One of the views that were asked for.
    subscript(view: View) -> Picture? { pictures[view] }
}

extension Pyramid {
    /// A view and the larger one that it is made from; nil: from the decoder's rows.
    struct Level: Equatable {
        let view: View
        let source: View?
    }

    /// All views once, the largest first, each after the one that it is made from.
    static func levels(of views: [View]) -> [Level] {
        var levels: [Level] = []
        for view in Set(views).sorted(by: { $0.rank > $1.rank }) {
            let source = levels.last {
                $0.view.isWhole && $0.view.scaled.covers(view.scaled, factor: $0.view.factor(to: view))
            }
            levels.append(Level(view: view, source: source?.view))
        }
        return levels
    }
}

extension View {
    /// Larger for larger pictures; the same for two only if one may stand for the other as a source.
    fileprivate var rank: (Int, Int, Int) { (scaled.pixelCount, scaled.width, chroma == .halved ? 0 : 1) }

    /// How many times as large a picture must be as a smaller one that is made from it.
    fileprivate func factor(to smaller: View) -> Double { smaller.chroma == .full && chroma != .full ? 2.5 : 1.25 }
}
