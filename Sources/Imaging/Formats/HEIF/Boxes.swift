/// A walk through the boxes of an ISO base media file, such as a HEIC or an AVIF: each is a length, a type and a
/// payload (ISO/IEC 14496-12, 4.2).
struct Boxes {
    /// A box's position in the file.
    struct Box {
        /// The offset of its four-character type.
        let type: Int
        let payload: Range<Int>
    }

    private var offset: Int
    private let end: Int
    private let format: ImageFormat

    /// Creates a walk through the boxes in a part of the file.
    init(in range: Range<Int>, of format: ImageFormat) {
        offset = range.lowerBound
        end = range.upperBound
        self.format = format
    }

    /// Returns the next box; nil at the end.
    mutating func next(_ bytes: Span<UInt8>) throws(ImageError) -> Box? {
        guard offset < end else { return nil }
        guard let (header, length) = readLength(bytes), length <= end - offset else {
            if end == bytes.count { throw .truncated(format) }
            throw .corrupt(format, "a box that is longer than its container")
        }
        guard length >= header else { throw .corrupt(format, "a box of \(length) bytes") }
        let box = Box(type: offset + 4, payload: offset + header..<offset + length)
        offset += length
        return box
    }

    /// Reads a box's length. A length of 1 precedes one of 64 bits, and a length of 0 means up to the end.
    private func readLength(_ bytes: Span<UInt8>) -> (header: Int, length: Int)? {
        guard offset + 8 <= end, let length = bytes.uint32(at: offset) else { return nil }
        switch length {
        case 0: return (8, end - offset)
        case 1:
            guard bytes.uint32(at: offset + 8) == 0, let length = bytes.uint32(at: offset + 12) else { return nil }
            return (16, length)
        default: return (8, length)
        }
    }
}
