/// Reads a PNG's chunks up to its pixels (PNG specification, third edition, section 5).
enum PNGHeader {
    /// Reads the header. An `eXIf` chunk before the pixels specifies the orientation, as in the specification's third
    /// edition and in browsers; an orientation in XMP text, or after the pixels, is ignored.
    static func read(_ bytes: Span<UInt8>) throws(ImageError) -> ImageHeader {
        var offset = 8  // after the signature
        guard let first = nextChunk(bytes, &offset) else { throw .truncated(.png) }
        guard !bytes.starts(with: "CgBI", at: 12) else {
            throw .unsupported(
                "Apple's variant of PNG (CgBI), as in iPhone apps,",
                hint: "Turn it into a usual PNG, for instance with pngcrush -revert-iphone-optimizations.")
        }
        guard bytes.starts(with: "IHDR", at: 12), first.count == 13,
            let colorType = bytes.byte(at: first.lowerBound + 9)
        else { throw .corrupt(.png, "it does not begin with its header") }
        let size = try readSize(bytes, at: first.lowerBound)
        var hasAlpha = colorType & 4 != 0
        var orientation: Orientation?
        while let payload = nextChunk(bytes, &offset) {
            let type = payload.lowerBound - 4
            if bytes.starts(with: "IDAT", at: type) {
                return ImageHeader(
                    format: .png, storedSize: size, orientation: orientation ?? .up, hasAlpha: hasAlpha, frameCount: 1)
            }
            if bytes.starts(with: "tRNS", at: type) { hasAlpha = true }
            if bytes.starts(with: "eXIf", at: type) { orientation = EXIF.orientation(bytes.extracting(payload)) }
            if bytes.starts(with: "IEND", at: type) { throw .corrupt(.png, "no pixels before its end") }
        }
        throw .truncated(.png)
    }

    /// Reads the size. The specification limits sides to 31 bits; libpng refuses larger ones, too.
    private static func readSize(_ bytes: Span<UInt8>, at offset: Int) throws(ImageError) -> PixelSize {
        guard let width = bytes.uint32(at: offset), let height = bytes.uint32(at: offset + 4) else {
            throw .truncated(.png)
        }
        guard max(width, height) < 1 << 31 else { throw .corrupt(.png, "its size is \(width)×\(height)") }
        return PixelSize(width: width, height: height)
    }

    /// Moves past a chunk (length, type, payload, checksum) and returns the range of its payload; nil at the end.
    static func nextChunk(_ bytes: Span<UInt8>, _ offset: inout Int) -> Range<Int>? {
        guard let length = bytes.uint32(at: offset) else { return nil }
        let start = offset + 8
        if bytes.starts(with: "IDAT", at: offset + 4) { return start..<start }  // the decoder reads the rest
        guard start + length + 4 <= bytes.count else { return nil }
        offset = start + length + 4
        return start..<start + length
    }
}
