internal import CCodecs

/// The codec for PNG (third edition): our own decoder decodes usual files; libpng decodes all others, and encodes.
struct PNGCodec: ImageCodec {
    let format = ImageFormat.png
    let name = "PNG"
    let decodesEveryPixel = true
    let signatures: [[UInt8]] = [[0x89] + Array("PNG\r\n\u{1A}\n".utf8)]

    func readHeader(_ bytes: Span<UInt8>, limits: ImageLimits) throws(ImageError) -> CodecHeader {
        CodecHeader(header: try PNGHeader.read(bytes))
    }

    /// Whether the file ends with the end chunk, which is the same in every file (section 11.2.5).
    func hasTrailer(_ file: FileEnds, read: FileEnds.Read) -> Bool? {
        guard file.head.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        return file.tail.elementsEqual([0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    }

    /// Decodes with our own decoder, or with libpng if that refuses the image or each sample must be converted.
    func decode(_ bytes: Span<UInt8>, with reader: ImageReader) throws(ImageError) -> DecodedImages {
        let chunks = PNGColors(bytes)
        let (samples, colors) = (chunks.samples, DecodedColors(chunks.description(bytes)))
        if samples == nil, let decoder = WholePNGDecoder(bytes, header: reader.header, limits: reader.limits),
            let decoded = try? reader.read(decoder, bytes, colors: colors, isStrict: true)
        {
            return decoded
        }
        return try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
            let decoder = try unsafe LibPNGDecoder(
                buffer, header: reader.header, samples: samples, limits: reader.limits)
            return try unsafe reader.read(DeinterleavingDecoder(decoder), buffer.span, colors: colors)
        }
    }
}

extension PNGCodec: ImageEncoder {
    func encode(_ image: PlanarImage, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        throw .unsupported("a PNG of planes")
    }

    /// Encodes a PNG with 8 bits per channel.
    func encode(_ image: PixelBuffer, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let image = image.unpremultiplied()
        return try unsafe collect { bytes, count, fault in
            unsafe ccodecs_png_encode(image.bytes, image.layout, bytes, count, fault)
        }
    }
}
