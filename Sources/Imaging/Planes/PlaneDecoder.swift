/// A decoder that decodes an image's planes from the top, as stored, some rows of each at a time.
///
/// It borrows nothing: every call receives the file's bytes, which must be the same each time.
protocol PlaneDecoder: ~Copyable {
    /// The kinds of the planes.
    var colorModel: ColorModel { get }
    /// The layout of each plane; a band may have more samples per row, and the last one more rows.
    var layouts: [PlaneLayout] { get }
    /// The number of bands.
    var bandCount: Int { get }

    /// Allocates a band.
    func makeBand() -> PlaneBand

    /// Decodes the next rows into a band from `makeBand`; called `bandCount` times.
    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError)

    /// Reads the data after the last row; throws if the image turns out to be incomplete.
    mutating func finish(_ bytes: Span<UInt8>) throws(ImageError)

    /// The warning about missing or damaged data, whose samples are estimates; complete after `finish`.
    var warning: ImageWarning? { get }
}

extension PlaneDecoder where Self: ~Copyable {
    var warning: ImageWarning? { nil }
}

/// The kinds of an image's planes, in order.
enum ColorModel: Sendable, Hashable {
    case grey
    /// Luma and two colour differences (JFIF; ITU-R BT.601), which may have fewer samples than luma.
    case yCbCr
    case rgb
    /// Red, green and blue multiplied by alpha, and alpha.
    case rgba
    /// Cyan, magenta, yellow and black, inverted: 255 - ink, as Adobe stores it.
    case cmyk

    /// Creates the model of pixels with 1, 3 or 4 interleaved samples.
    init(channels: Int) { self = channels == 1 ? .grey : channels == 3 ? .rgb : .rgba }

    var planeCount: Int {
        switch self {
        case .grey: 1
        case .yCbCr, .rgb: 3
        case .rgba, .cmyk: 4
        }
    }
}
