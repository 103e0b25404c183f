/// The palette indices of a GIF's frame.
enum GIFPixels {
    /// The most bytes that are decoded at once; more is left to giflib, which holds no more than a row.
    static let maxBytes = 64 << 20
    /// The number of bytes before the first index.
    static let offset = LZWDecoder.rootCount

    /// Decodes a whole frame; nil for whatever is not quite right: then giflib is to say what it thinks of it.
    ///
    /// - Parameters:
    ///   - offset: The place where the first block of its data begins, behind the byte that says how many bits an index has.
    ///   - count: The number of its pixels.
    static func read(_ bytes: Span<UInt8>, at offset: Int, count: Int) -> [UInt8]? {
        guard let rootBits = bytes.byte(at: offset - 1), let stream = joined(bytes, at: offset),
            let decoder = LZWDecoder(rootBits: Int(rootBits))
        else { return nil }
        return decoder.decode(stream.span, count: count)
    }

    /// Joins the blocks up to the empty one (GIF89a, section 15), and the decoder's slack; nil when they end before.
    private static func joined(_ bytes: Span<UInt8>, at start: Int) -> [UInt8]? {
        var (stream, offset, count) = ([UInt8](), start, 0)
        while let length = bytes.byte(at: offset + count), length > 0 { count += 1 + Int(length) }
        stream.reserveCapacity(min(count, bytes.count) + LZWDecoder.slackBytes)
        while let length = bytes.byte(at: offset).map(Int.init) {
            if length == 0 {
                stream.append(contentsOf: repeatElement(0, count: LZWDecoder.slackBytes))
                return stream
            }
            guard offset + 1 + length <= bytes.count else { return nil }
            unsafe bytes.extracting(offset + 1..<offset + 1 + length).withUnsafeBufferPointer {
                unsafe stream.append(contentsOf: $0)
            }
            offset += 1 + length
        }
        return nil
    }
}
