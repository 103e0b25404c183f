/// A walk through the chunks of a RIFF file, such as a WebP: each is a type, a length, and a payload padded to an even
/// length (RFC 9649, section 2.3).
struct RIFFChunks {
    /// A chunk's position in the file.
    struct Chunk {
        /// The offset of its four-character type.
        let type: Int
        let payload: Range<Int>
    }

    private var offset: Int
    private let end: Int

    /// Creates a walk through the chunks in a part of the file.
    init(in range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Creates a walk through the chunks of the whole file, up to the length in its header.
    init(fileOf bytes: Span<UInt8>) throws(ImageError) {
        guard let length = bytes.uint32(at: 4, isLittleEndian: true), 8 + length <= bytes.count else {
            throw .truncated(.webp)
        }
        guard length >= 4 else { throw .corrupt(.webp, "its length is \(length)") }
        self.init(in: 12..<8 + length)
    }

    /// Returns the next chunk; nil at the end.
    mutating func next(_ bytes: Span<UInt8>) throws(ImageError) -> Chunk? {
        guard offset < end else { return nil }
        guard offset + 8 <= end, let length = bytes.uint32(at: offset + 4, isLittleEndian: true),
            offset + 8 + length <= end
        else { throw .corrupt(.webp, "a chunk that is longer than the file") }
        let chunk = Chunk(type: offset, payload: offset + 8..<offset + 8 + length)
        offset = chunk.payload.upperBound + length % 2
        return chunk
    }
}
