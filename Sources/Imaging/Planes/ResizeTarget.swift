/// The size to which an image is scaled, the part of it that shows, and where its chroma samples are to lie.
struct ResizeTarget: Sendable, Hashable {
    /// The chroma samples of a YCbCr image.
    enum Chroma: Sendable, Hashable {
        /// Half as many samples as pixels along both sides.
        case halved
        /// One sample a pixel, each its own where the original has that.
        case full
        /// One sample a pixel, however coarse what they are made from is.
        case interpolated
    }

    /// The size to which the whole image is scaled, as stored.
    let scaled: PixelSize
    /// The part that shows, as stored.
    let columns: Range<Int>
    let rows: Range<Int>
    /// The chroma samples, which begin at the upright image's top left.
    let chroma: Chroma
    /// Whether upright the columns run from the stored right to the left, and the rows from the bottom up.
    private let areColumnsMirrored: Bool
    private let areRowsMirrored: Bool

    /// Targets the middle part of the upright image.
    ///
    /// - Parameter scaled: The size of the whole image, as stored.
    /// - Parameter cropped: The size of the part, upright; no larger than the whole.
    init(scaled: PixelSize, orientation: Orientation = .up, cropped: PixelSize, chroma: Chroma) {
        let full = orientation.applied(to: scaled)
        let left = (full.width - cropped.width) / 2
        let top = (full.height - cropped.height) / 2
        let first = orientation.storedPosition(x: left, y: top, in: scaled)
        let last = orientation.storedPosition(x: left + cropped.width - 1, y: top + cropped.height - 1, in: scaled)
        self.scaled = scaled
        columns = min(first.x, last.x)..<max(first.x, last.x) + 1
        rows = min(first.y, last.y)..<max(first.y, last.y) + 1
        areColumnsMirrored = first.x > last.x
        areRowsMirrored = first.y > last.y
        self.chroma = chroma
    }

    /// Targets the whole image, with a chroma sample a pixel.
    init(_ size: PixelSize) { self.init(scaled: size, cropped: size, chroma: .interpolated) }

    /// The size of the part that shows, as stored.
    var size: PixelSize { PixelSize(width: columns.count, height: rows.count) }

    /// Whether all of the image shows.
    var isWhole: Bool { size == scaled }

    /// The layout that each plane is to have.
    func layouts(_ colorModel: ColorModel) -> [PlaneLayout] {
        (0..<colorModel.planeCount).map { layout(isHalved: chroma == .halved && colorModel == .yCbCr && $0 > 0) }
    }

    private func layout(isHalved: Bool) -> PlaneLayout {
        PlaneLayout(
            horizontal: ResizeTarget.axis(
                columns, of: scaled.width, isHalved: isHalved, isMirrored: areColumnsMirrored),
            vertical: ResizeTarget.axis(rows, of: scaled.height, isHalved: isHalved, isMirrored: areRowsMirrored))
    }

    /// The axis of a plane. Where halved pixels are odd in number, the single one is the last one upright: the stored
    /// first if mirrored.
    private static func axis(_ part: Range<Int>, of whole: Int, isHalved: Bool, isMirrored: Bool) -> SampleAxis {
        guard isHalved else {
            return SampleAxis(count: part.count, origin: Double(-part.lowerBound), extent: Double(whole))
        }
        let start = part.lowerBound - (isMirrored ? part.count % 2 : 0)
        return SampleAxis(count: (part.count + 1) / 2, origin: Double(-start) / 2, extent: Double(whole) / 2)
    }
}
