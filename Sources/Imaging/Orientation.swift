/// The turn that makes a stored image stand upright: the values of EXIF's tag 0x0112 (EXIF 2.32, 4.6.4 A).
///
/// The names say where the top of the scene is in the stored pixels, as Apple's `CGImagePropertyOrientation` does.
public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored
    case down
    case downMirrored
    case leftMirrored
    case right
    case rightMirrored
    case left

    /// Whether turning upright exchanges width and height.
    public var swapsSides: Bool { rawValue >= Orientation.leftMirrored.rawValue }
}

extension Orientation {
    /// The size after turning, from the stored size; and, as turning twice does, the other way round.
    func applied(to size: PixelSize) -> PixelSize { swapsSides ? size.swapped : size }

    /// The stored pixel that stands at column `x` and row `y` of the upright image.
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
