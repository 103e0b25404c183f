/// The conversion of an image's colours to sRGB.
enum ColorConversion: Sendable {
    /// The colours are sRGB already.
    case none
    case by(ColorTransform)
    /// The description is invalid; the colours are treated as sRGB.
    case unknown

    /// Creates the conversion for a description; conversions are cached, since all photos of one camera share one.
    init(_ description: ColorDescription) {
        switch description {
        case .standard: self = .none
        case .broken: self = .unknown
        case .profile, .primaries:
            self = ColorConversion.known.value(of: description, byteCount: { _ in description.byteCount }) {
                ColorConversion(making: description)
            }
        }
    }

    /// A phone's profile has about 500 bytes, a printing press's 500,000 or more.
    private static let known = LRUCache<ColorDescription, ColorConversion>(maxCount: 16, maxBytes: 8 * 1_048_576)

    private init(making description: ColorDescription) {
        guard let transform = ColorTransform(description) else {
            self = .unknown
            return
        }
        self = transform.isIdentity ? .none : .by(transform)
    }
}

extension ColorDescription {
    fileprivate var byteCount: Int {
        if case .profile(let bytes) = self { bytes.count } else { 0 }
    }
}
