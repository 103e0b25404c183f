/// Reads of a coded image, without decoding it, what its decoder will obey.
protocol CodedImageInspector {
    /// Takes a decoder configuration, which comes before the data.
    mutating func take(configuration: Span<UInt8>)

    /// Takes the data.
    mutating func take(_ data: Span<UInt8>)

    /// The findings so far.
    var coded: CodedImageInfo { get }
}

/// The properties of a coded image that its decoder will find, and what decoding takes.
struct CodedImageInfo {
    /// The largest size that any part of it gives.
    let size: PixelSize
    /// The most memory that decoding it takes, the image included, in bytes.
    let workingBytes: Int
    /// Whether it is one image, and all is what it seems.
    let isPlain: Bool
    /// Whether there are layers on top of the image, such as a second eye's view.
    var isLayered = false
}
