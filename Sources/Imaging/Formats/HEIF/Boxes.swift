/// Walks over the boxes of an ISO base media file, as HEIC and AVIF are: a length, a type, a payload each (ISO/IEC
/// 14496-12, 4.2).
struct Boxes {
    /// A box's place in the file.
    struct Box {
        /// The place of its four-character type.
        let type: Int
        let payload: Range<Int>
    }

    private var offset: Int
    private let end: Int
    private let format: ImageFormat

    /// The boxes in a part of the file.
    init(in range: Range<Int>, of format: ImageFormat) {
        offset = range.lowerBound
        end = range.upperBound
        self.format = format
    }

    /// The next one; nil at the end.
    mutating func next(_ bytes: Span<UInt8>) throws(ImageError) -> Box? {
        guard offset < end else { return nil }
        guard let (header, length) = readLength(bytes), length <= end - offset else {
            if end == bytes.count { throw .truncated(format) }
            throw .corrupt(format, "a box that is longer than the one that it lies in")
        }
        guard length >= header else { throw .corrupt(format, "a box of \(length) bytes") }
        let box = Box(type: offset + 4, payload: offset + header..<offset + length)
        offset += length
        return box
    }

    /// A length of 1 stands before one of 64 bits, and a length of 0 means up to the end.
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
