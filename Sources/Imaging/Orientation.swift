/// The rotation and mirroring that turn a stored image upright: the values of EXIF's tag 0x0112 (EXIF 2.32, 4.6.4 A).
///
/// A case's name states where the top of the scene is in the stored pixels, as in Apple's `CGImagePropertyOrientation`.
public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored
    case down
    case downMirrored
    case leftMirrored
    case right
    case rightMirrored
    case left

    /// Whether the upright image's width is the stored image's height, and the other way round.
    public var swapsSides: Bool { rawValue >= Orientation.leftMirrored.rawValue }
}

extension Orientation {
    /// Returns the upright size for a stored size, or the stored size for an upright one.
    func applied(to size: PixelSize) -> PixelSize { swapsSides ? size.swapped : size }

    /// Returns the position in the stored image of the pixel at column `x` and row `y` of the upright image.
    func storedPosition(x: Int, y: Int, in stored: PixelSize) -> (x: Int, y: Int) {
        let (right, bottom) = (stored.width - 1, stored.height - 1)
        return switch self {
        case .up: (x, y)
        case .upMirrored: (right - x, y)
        case .down: (right - x, bottom - y)
        case .downMirrored: (x, bottom - y)
        case .leftMirrored: (y, x)
        case .right: (y, bottom - x)
        case .rightMirrored: (right - y, bottom - x)
        case .left: (right - y, x)
        }
    }
}
