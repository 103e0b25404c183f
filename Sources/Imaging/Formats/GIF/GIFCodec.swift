/// The codec for GIF (GIF89a specification): giflib reads the structure, and our own decoder the pixels.
struct GIFCodec: ImageCodec {
    let format = ImageFormat.gif
    let name = "GIF"
    let decodesEveryPixel = true
    let signatures = [Array("GIF89a".utf8), Array("GIF87a".utf8)]

    func readHeader(_ bytes: Span<UInt8>, limits: ImageLimits) throws(ImageError) -> CodecHeader {
        let found = try GIFHeader.read(bytes)
        return CodecHeader(header: found.header, framePixels: found.framePixels)
    }

    /// Whether the file ends with the trailer (section 27).
    func hasTrailer(_ file: FileEnds, read: FileEnds.Read) -> Bool? {
        file.head.starts(with: "GIF8".utf8) ? file.tail.last == 0x3B : nil
    }

    func decode(_ bytes: Span<UInt8>, with reader: ImageReader) throws(ImageError) -> DecodedImages {
        try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
            let decoder = try unsafe GIFDecoder(
                buffer, header: reader.header, for: reader.largest, limits: reader.limits)
            return try unsafe reader.read(decoder, buffer.span, colors: DecodedColors(.standard))
        }
    }
}
