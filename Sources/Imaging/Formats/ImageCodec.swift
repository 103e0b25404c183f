/// The knowledge about a format: how its files begin and end, the contents of their headers, and decoding.
///
/// A codec is a value without state, for use on any thread. `ImageFormat.codec` is the registry; no code outside a
/// format's folder depends on the format's codec, except that `Recipe+Encoding.swift` names the formats that can be
/// written.
protocol ImageCodec: Sendable {
    /// The format of the files that the codec reads.
    var format: ImageFormat { get }
    /// The name of the format as people know it.
    var name: String { get }
    /// The library that this build lacks to read the format; nil if none is missing.
    var missingLibrary: String? { get }
    /// Whether all pixels are decoded, however small the renditions are; `ImageLimits.maxLosslessPixels` then applies.
    var decodesEveryPixel: Bool { get }
    /// The byte sequences with which files begin; empty if the first bytes alone do not identify a file.
    var signatures: [[UInt8]] { get }

    /// Whether a file's first bytes are of the format.
    func matches(_ bytes: Span<UInt8>) -> Bool

    /// Reads the header without decoding pixels or checking it against the limits.
    func readHeader(_ bytes: Span<UInt8>, limits: ImageLimits) throws(ImageError) -> CodecHeader

    /// Chooses the decoder for an image whose header has been read, and passes it to the reader.
    func decode(_ bytes: Span<UInt8>, with reader: ImageReader) throws(ImageError) -> DecodedImages

    /// Whether a file ends as the format's container requires; nil if the file is in another container.
    func hasTrailer(_ file: FileEnds, read: FileEnds.Read) -> Bool?
}

extension ImageCodec {
    var missingLibrary: String? { nil }
    var decodesEveryPixel: Bool { false }

    func matches(_ bytes: Span<UInt8>) -> Bool { signatures.contains { bytes.starts(with: $0, at: 0) } }
}

/// The header of a file, read before anything is decoded.
struct CodecHeader {
    let header: ImageHeader
    /// The number of pixels of all frames of an animation together; 0 for a still image.
    var framePixels = 0
    /// The number of pixels of all tiles, for each image that the file is composed of, including hidden ones.
    var tilePixels: [Int] = []
}
