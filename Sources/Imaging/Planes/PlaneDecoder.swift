/// A decoder that gives an image's planes from the top, as stored, some rows of each at a time.
///
/// It borrows nothing: the bytes are handed to every call, and must be the same ones.
protocol PlaneDecoder: ~Copyable {
    /// The kinds of the planes.
    var colorModel: ColorModel { get }
    /// The layout of each plane; a band may have more samples a row, and the last one more rows.
    var layouts: [PlaneLayout] { get }
    /// The number of bands.
    var bandCount: Int { get }

    /// Makes room for a band.
    func makeBand() -> PlaneBand

    /// Fills a band that `makeBand` made with the next rows; to be called `bandCount` times.
    mutating func decode(into band: inout PlaneBand, from bytes: Span<UInt8>) throws(ImageError)

    /// Reads what lies behind the last row, and refuses the image if it turns out not to be whole.
    mutating func finish(_ bytes: Span<UInt8>) throws(ImageError)

    /// The warning about data that was missing or damaged, so that the samples are a guess there; to be asked once it is
    /// finished.
    var warning: ImageWarning? { get }
}

extension PlaneDecoder where Self: ~Copyable {
    var warning: ImageWarning? { nil }
}

/// The kinds of an image's planes, in their order.
enum ColorModel: Sendable, Hashable {
    case grey
    /// Luma and two colour differences (JFIF; ITU-R BT.601), which may have fewer samples than luma.
    case yCbCr
    case rgb
    /// Red, green and blue multiplied with alpha, and alpha.
    case rgba
    /// Cyan, magenta, yellow and black as the light that the ink leaves: 255 - ink, as Adobe stores it.
    case cmyk

    /// The model of pixels with 1, 3 or 4 interleaved samples.
    init(channels: Int) { self = channels == 1 ? .grey : channels == 3 ? .rgb : .rgba }

    var planeCount: Int {
        switch self {
        case .grey: 1
        case .yCbCr, .rgb: 3
        case .rgba, .cmyk: 4
        }
    }
}
