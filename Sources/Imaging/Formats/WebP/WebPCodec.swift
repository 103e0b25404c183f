/// The codec for WebP (RFC 9649), by libwebp.
struct WebPCodec: ImageCodec {
    let format = ImageFormat.webp
    let name = "WebP"
    /// Empty, since a file's length separates the first four bytes from the format's name.
    let signatures: [[UInt8]] = []

    #if WebP
        let missingLibrary: String? = nil
    #else
        let missingLibrary: String? = "libwebp"
    #endif

    func matches(_ bytes: Span<UInt8>) -> Bool { bytes.starts(with: "RIFF") && bytes.starts(with: "WEBP", at: 8) }

    func readHeader(_ bytes: Span<UInt8>, limits: ImageLimits) throws(ImageError) -> CodecHeader {
        let found = try WebPHeader.read(bytes)
        return CodecHeader(header: found.header, framePixels: found.framePixels)
    }

    /// Whether the file has the length that is stored after its first four bytes; a padding byte may be missing. There
    /// is no trailer.
    func hasTrailer(_ file: FileEnds, read: FileEnds.Read) -> Bool? {
        guard file.head.starts(with: "RIFF".utf8) else { return nil }
        let count = file.head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        return count + 8 == file.byteCount || count + 9 == file.byteCount
    }

    func decode(_ bytes: Span<UInt8>, with reader: ImageReader) throws(ImageError) -> DecodedImages {
        #if WebP
            let file = try WebPHeader.read(bytes)
            let (first, size, limits) = (file.first, reader.header.storedSize, reader.limits)
            let colors = DecodedColors(file.colors(bytes))
            if first.frame.size == size, first.frame.isLossy, !first.frame.hasAlpha {
                let decoder = try WebPPlaneDecoder(first.frame, for: reader.largest, limits: limits)
                return try reader.read(decoder, bytes, colors: colors)
            }
            let pixels = try first.frame.pixels(bytes, limits: limits)
            let canvas = pixels.laid(left: first.left, top: first.top, on: size)
            return try reader.read(DeinterleavingDecoder(PixelRows(canvas)), bytes, colors: colors)
        #else
            throw .missing("libwebp", for: .webp)
        #endif
    }
}
