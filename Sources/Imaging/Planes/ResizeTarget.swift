/// The size to which an image is scaled, the part of it that is shown, and the layout of its chroma samples.
struct ResizeTarget: Sendable, Hashable {
    /// The chroma samples of a YCbCr image.
    enum Chroma: Sendable, Hashable {
        /// Half as many samples as pixels along both sides.
        case halved
        /// A sample per pixel, at full resolution if the original has it.
        case full
        /// A sample per pixel, however coarse the source's chroma is.
        case interpolated
    }

    /// The size to which the whole image is scaled, as stored.
    let scaled: PixelSize
    /// The part that is shown, as stored.
    let columns: Range<Int>
    let rows: Range<Int>
    /// The chroma samples; they are aligned with the top left of the upright image.
    let chroma: Chroma
    /// Whether the columns of the upright image run from the stored right to the left; `areRowsMirrored`: its rows run
    /// upwards.
    private let areColumnsMirrored: Bool
    private let areRowsMirrored: Bool

    /// Creates a target for the middle part of the upright image.
    ///
    /// - Parameter scaled: The size of the whole image, as stored.
    /// - Parameter cropped: The size of the part, upright; no larger than the whole image.
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

    /// Creates a target for the whole image, with one chroma sample per pixel.
    init(_ size: PixelSize) { self.init(scaled: size, cropped: size, chroma: .interpolated) }

    /// The size of the part that is shown, as stored.
    var size: PixelSize { PixelSize(width: columns.count, height: rows.count) }

    /// Whether the whole image is shown.
    var isWhole: Bool { size == scaled }

    /// Returns the layout of each plane of the target.
    func layouts(_ colorModel: ColorModel) -> [PlaneLayout] {
        (0..<colorModel.planeCount).map { layout(isHalved: chroma == .halved && colorModel == .yCbCr && $0 > 0) }
    }

    private func layout(isHalved: Bool) -> PlaneLayout {
        PlaneLayout(
            horizontal: ResizeTarget.axis(
                columns, of: scaled.width, isHalved: isHalved, isMirrored: areColumnsMirrored),
            vertical: ResizeTarget.axis(rows, of: scaled.height, isHalved: isHalved, isMirrored: areRowsMirrored))
    }

    /// Returns the axis of a plane. If the number of pixels is odd, the halved axis has a sample for a single pixel:
    /// the last one of the upright image, which is the first stored one if mirrored.
    private static func axis(_ part: Range<Int>, of whole: Int, isHalved: Bool, isMirrored: Bool) -> SampleAxis {
        guard isHalved else {
            return SampleAxis(count: part.count, origin: Double(-part.lowerBound), extent: Double(whole))
        }
        let start = part.lowerBound - (isMirrored ? part.count % 2 : 0)
        return SampleAxis(count: (part.count + 1) / 2, origin: Double(-start) / 2, extent: Double(whole) / 2)
    }
}
