/// Reads the values of a coded image that its decoder will obey, without decoding it.
protocol CodedImageInspector {
    /// Reads a decoder configuration, which precedes the data.
    mutating func take(configuration: Span<UInt8>)

    /// Reads the data.
    mutating func take(_ data: Span<UInt8>)

    /// The values found so far.
    var coded: CodedImageInfo { get }
}

/// The properties of a coded image that its decoder will use, and the cost of decoding it.
struct CodedImageInfo {
    /// The largest size that any part of it specifies, in pixels.
    let size: PixelSize
    /// The maximum memory for decoding it, including the image, in bytes.
    let workingBytes: Int
    /// Whether the data is a single, consistent image.
    let isPlain: Bool
    /// Whether it has layers in addition to the image, such as a second eye's view.
    var isLayered = false
}
