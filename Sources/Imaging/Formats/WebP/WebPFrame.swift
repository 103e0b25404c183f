/// A WebP's image, or a frame of its animation, as described by its chunks (RFC 9649, section 2.7).
struct WebPFrame {
    /// The part of the file that the decoder reads.
    let data: Range<Int>
    let size: PixelSize
    let hasAlpha: Bool
    /// Whether the image is stored as YCbCr (VP8) rather than ARGB (VP8L).
    let isLossy: Bool

    /// Finds the image among chunks: `VP8L`, or `VP8 `, possibly after an `ALPH`; returns nil if there is none.
    static func read(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) -> WebPFrame? {
        var chunks = RIFFChunks(in: range)
        var alpha: RIFFChunks.Chunk?
        while let chunk = try chunks.next(bytes) {
            let payload = bytes.extracting(chunk.payload)
            if bytes.starts(with: "ALPH", at: chunk.type), alpha == nil {
                alpha = chunk
            } else if bytes.starts(with: "VP8 ", at: chunk.type) {
                let data = (alpha?.type ?? chunk.type)..<chunk.payload.upperBound
                return WebPFrame(data: data, size: try lossySize(payload), hasAlpha: alpha != nil, isLossy: true)
            } else if bytes.starts(with: "VP8L", at: chunk.type) {
                let (size, hasAlpha) = try losslessSize(payload)
                let data = chunk.type..<chunk.payload.upperBound
                return WebPFrame(data: data, size: size, hasAlpha: hasAlpha, isLossy: false)
            }
        }
        return nil
    }

    /// Reads a key frame's header: a tag of three bytes, a start code of three, two sides of 14 bits (RFC 6386, section
    /// 9.1).
    private static func lossySize(_ payload: Span<UInt8>) throws(ImageError) -> PixelSize {
        guard let tag = payload.byte(at: 0), tag & 1 == 0, payload.byte(at: 3) == 0x9D, payload.byte(at: 4) == 0x01,
            payload.byte(at: 5) == 0x2A, let width = payload.uint16(at: 6, isLittleEndian: true),
            let height = payload.uint16(at: 8, isLittleEndian: true)
        else { throw .corrupt(.webp, "no key frame") }
        return PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
    }

    /// Reads a lossless header: a signature, two sides of 14 bits minus one, whether alpha is used (RFC 9649, section
    /// 3.4).
    private static func losslessSize(_ payload: Span<UInt8>) throws(ImageError) -> (PixelSize, hasAlpha: Bool) {
        guard payload.byte(at: 0) == 0x2F, let bits = payload.uint32(at: 1, isLittleEndian: true) else {
            throw .corrupt(.webp, "no lossless picture")
        }
        return (PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1), bits >> 28 & 1 == 1)
    }
}
