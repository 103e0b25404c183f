/// The visible part of a stored image, and the orientation that turns it upright.
struct VisibleRegion: Hashable {
    /// The columns and rows of the part, as stored.
    private(set) var columns: Range<Int>
    private(set) var rows: Range<Int>
    private(set) var orientation = Orientation.up

    /// Creates the region of a whole image, as stored.
    init(_ size: PixelSize) {
        columns = 0..<size.width
        rows = 0..<size.height
    }

    /// The size of the part, as stored.
    var size: PixelSize { PixelSize(width: columns.count, height: rows.count) }

    /// Rotates the region anticlockwise, by quarter turns.
    mutating func turn(quarters: Int) {
        let turns = [Orientation.up, .left, .down, .right]
        orientation = orientation.followed(by: turns[quarters & 3])
    }

    /// Exchanges left and right, or top and bottom.
    mutating func mirror(isHorizontal: Bool) {
        orientation = orientation.followed(by: isHorizontal ? .upMirrored : .downMirrored)
    }

    /// Crops the region, in its current orientation, to an aperture; returns false if nothing remains.
    mutating func cut(_ aperture: CleanAperture) -> Bool {
        let upright = orientation.applied(to: size)
        let (shownColumns, shownRows) = aperture.part(of: upright)
        guard !shownColumns.isEmpty, !shownRows.isEmpty else { return false }
        let first = orientation.storedPosition(x: shownColumns.lowerBound, y: shownRows.lowerBound, in: size)
        let last = orientation.storedPosition(x: shownColumns.upperBound - 1, y: shownRows.upperBound - 1, in: size)
        let (left, top) = (columns.lowerBound, rows.lowerBound)
        columns = left + min(first.x, last.x)..<left + max(first.x, last.x) + 1
        rows = top + min(first.y, last.y)..<top + max(first.y, last.y) + 1
        return true
    }
}

extension Orientation {
    /// Returns the orientation that combines this one with a following one.
    func followed(by next: Orientation) -> Orientation {
        let size = PixelSize(width: 3, height: 2)  // all orientations of this size differ
        let turned = applied(to: size)
        func isBoth(_ one: Orientation) -> Bool {
            guard one.applied(to: size) == next.applied(to: turned) else { return false }
            return [(0, 0), (1, 0)].allSatisfy { x, y in
                let between = next.storedPosition(x: x, y: y, in: turned)
                return one.storedPosition(x: x, y: y, in: size)
                    == storedPosition(x: between.x, y: between.y, in: size)
            }
        }
        return Orientation.allCases.first(where: isBoth) ?? .up
    }
}

/// The part of an image that a `clap` property keeps (ISO/IEC 14496-12, 12.1.4): a width, a height, and the offset of
/// its centre from the image's, all as fractions.
struct CleanAperture {
    private let values: [Double]

    init?(_ fields: inout Fields, _ bytes: Span<UInt8>) {
        var values: [Double] = []
        for index in 0..<4 {
            guard let numerator = fields.next(4, bytes), let denominator = fields.next(4, bytes), denominator != 0
            else { return nil }
            values.append(
                Double(index < 2 ? numerator : Int(Int32(truncatingIfNeeded: numerator))) / Double(denominator))
        }
        self.values = values
    }

    /// Returns the visible columns and rows of an image; empty if there are none.
    func part(of image: PixelSize) -> (columns: Range<Int>, rows: Range<Int>) {
        (
            range(values[0], offset: values[2], of: image.width),
            range(values[1], offset: values[3], of: image.height)
        )
    }

    /// Returns whole samples, as many as the aperture is long; an aperture whose edges halve samples is moved up by
    /// half a sample.
    private func range(_ length: Double, offset: Double, of side: Int) -> Range<Int> {
        let first = (offset + Double(side - 1) / 2 - (length - 1) / 2).rounded(.down)
        let end = first + length.rounded(.down)
        guard first.magnitude < 1e10, end.magnitude < 1e10 else { return 0..<0 }
        let start = max(0, Int(first))
        return start..<max(start, min(side, Int(end)))
    }
}
