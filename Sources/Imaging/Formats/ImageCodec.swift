/// Everything that Imaging knows of a format: how its files begin and end, what their headers say, and how they are
/// decoded.
///
/// A codec is a value without state, for any thread. `ImageFormat.codec` is the registry; nothing else outside of a
/// format's folder reads by the format's codec. (`Recipe+Encoding.swift` names the formats that can be written.)
protocol ImageCodec: Sendable {
    /// The format of the files that the codec reads.
    var format: ImageFormat { get }
    /// The name that a person knows the format by.
    var name: String { get }
    /// The library without which this build cannot read the format; nil if all is there.
    var missingLibrary: String? { get }
    /// Whether all pixels are decoded, however small the renditions are: `ImageLimits.maxLosslessPixels` then applies.
    var decodesEveryPixel: Bool { get }
    /// The byte sequences of which each file begins with one; none if a file is not told by its first bytes alone.
    var signatures: [[UInt8]] { get }

    /// Whether a file's first bytes are the format's.
    func matches(_ bytes: Span<UInt8>) -> Bool

    /// Reads the header without decoding a pixel or holding it against the limits.
    func readHeader(_ bytes: Span<UInt8>, limits: ImageLimits) throws(ImageError) -> CodecHeader

    /// Chooses the decoder for an image whose header was read, and has it read to its end.
    func decode(_ bytes: Span<UInt8>, with reader: ImageReader) throws(ImageError) -> DecodedImages

    /// Whether a file ends as files of the format's container must; nil if the file is in another container.
    func hasTrailer(_ file: FileEnds, read: FileEnds.Read) -> Bool?
}

extension ImageCodec {
    var missingLibrary: String? { nil }
    var decodesEveryPixel: Bool { false }

    func matches(_ bytes: Span<UInt8>) -> Bool { signatures.contains { bytes.starts(with: $0, at: 0) } }
}

/// The header that a codec reads from a file before anything is decoded.
struct CodecHeader {
    let header: ImageHeader
    /// The pixels of all frames of an animation together; 0 of a still image.
    var framePixels = 0
    /// The pixels of all tiles of each image that the file is put together from, hidden ones among them.
    var tilePixels: [Int] = []
}
