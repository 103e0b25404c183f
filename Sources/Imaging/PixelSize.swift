/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable, CustomStringConvertible {
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a size; a size from a header has two positive sides of less than 2^31 pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size as people write it, such as `1280×960`.
    public var description: String { "\(width)×\(height)" }
}

extension PixelSize {
    /// The number of pixels. It cannot overflow: both sides are below 2^31.
    var pixelCount: Int { width * height }

    /// The size with half as many pixels along both sides, rounded up.
    var halved: PixelSize { PixelSize(width: (width + 1) / 2, height: (height + 1) / 2) }

    var swapped: PixelSize { PixelSize(width: height, height: width) }

    /// Whether an image of this size has at least `factor` times the pixels of `other` along both sides.
    func covers(_ other: PixelSize, factor: Double) -> Bool {
        Double(width) >= Double(other.width) * factor && Double(height) >= Double(other.height) * factor
    }
}
