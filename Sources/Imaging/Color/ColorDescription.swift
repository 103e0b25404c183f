/// The description of an image's colours in its file.
enum ColorDescription: Sendable, Hashable {
    /// The file describes no colours, or specifies sRGB.
    case standard
    /// An ICC profile with a plausible header (ICC.1:2022).
    case profile([UInt8])
    /// Primaries and an exponent, as in a PNG.
    case primaries(PrimaryColors)
    /// An invalid description, which is ignored.
    case broken

    /// The size of the largest profile that is read, in bytes after decompression.
    static let maxProfileBytes = 8 * 1_048_576

    /// Creates a description from an uncompressed profile at a range of a file; standard without a range.
    static func profile(_ bytes: Span<UInt8>, at range: Range<Int>?) -> ColorDescription {
        guard let range else { return .standard }
        guard range.count <= maxProfileBytes else { return .broken }
        return checked(range.map { bytes[$0] })
    }

    /// Checks a profile's header; the description is broken if the header is not plausible.
    static func checked(_ profile: [UInt8]) -> ColorDescription {
        ICCProfile.isPlausible(profile.span) ? .profile(profile) : .broken
    }
}

/// The meaning of a decoded image's samples.
struct DecodedColors {
    let description: ColorDescription
    /// The matrix of luma and colour differences, if the samples are such.
    let matrix: YCbCrMatrix

    init(_ description: ColorDescription, matrix: YCbCrMatrix = .jpeg) {
        self.description = description
        self.matrix = matrix
    }
}

/// Chromaticities, x and y each (CIE 1931), and the exponent of the function from samples to light.
struct PrimaryColors: Sendable, Hashable {
    var white = SIMD2(0.3127, 0.3290)
    var red = SIMD2(0.64, 0.33)
    var green = SIMD2(0.30, 0.60)
    var blue = SIMD2(0.15, 0.06)
    /// The exponent; nil for sRGB's own curve.
    var exponent: Double?

    /// ITU-R BT.709's primaries and sRGB's curve.
    static let sRGB = PrimaryColors()
}
