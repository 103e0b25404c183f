/// The colours as a file describes them.
enum ColorDescription: Sendable, Hashable {
    /// The file says nothing, or that they are sRGB.
    case standard
    /// An ICC profile that looks like one (ICC.1:2022).
    case profile([UInt8])
    /// Primaries and an exponent, as a PNG gives them.
    case primaries(PrimaryColors)
    /// A description that cannot be understood, hence is ignored.
    case broken

    /// The largest profile that is read, unpacked, in bytes.
    static let maxProfileBytes = 8 * 1_048_576

    /// A profile that is stored as it is.
    static func profile(_ bytes: Span<UInt8>, at range: Range<Int>?) -> ColorDescription {
        guard let range else { return .standard }
        guard range.count <= maxProfileBytes else { return .broken }
        return checked(range.map { bytes[$0] })
    }

    /// A profile's bytes, unless its own header contradicts that they are one.
    static func checked(_ profile: [UInt8]) -> ColorDescription {
        ICCProfile.isPlausible(profile.span) ? .profile(profile) : .broken
    }
}

/// The meaning of a decoded image's samples.
struct DecodedColors {
    let description: ColorDescription
    /// The matrix of luma and colour differences, if there are any.
    let matrix: YCbCrMatrix

    init(_ description: ColorDescription, matrix: YCbCrMatrix = .jpeg) {
        self.description = description
        self.matrix = matrix
    }
}

/// Chromaticities, x and y each (CIE 1931), and the exponent that leads from samples to light.
struct PrimaryColors: Sendable, Hashable {
    var white = SIMD2(0.3127, 0.3290)
    var red = SIMD2(0.64, 0.33)
    var green = SIMD2(0.30, 0.60)
    var blue = SIMD2(0.15, 0.06)
    /// The exponent; nil is sRGB's own curve.
    var exponent: Double?

    /// ITU-R BT.709's primaries and sRGB's curve.
    static let sRGB = PrimaryColors()
}
