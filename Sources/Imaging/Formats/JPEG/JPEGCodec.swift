/// The codec for JPEG (ITU-T T.81): our own decoders decode usual files; libjpeg decodes all others, and encodes.
struct JPEGCodec: ImageCodec {
    let format = ImageFormat.jpeg
    let name = "JPEG"
    let signatures: [[UInt8]] = [[0xFF, 0xD8, 0xFF]]

    func readHeader(_ bytes: Span<UInt8>, limits: ImageLimits) throws(ImageError) -> CodecHeader {
        CodecHeader(header: try JPEGHeader.read(bytes))
    }

    /// Whether the file ends with the end-of-image marker (T.81, B.1.1.3).
    func hasTrailer(_ file: FileEnds, read: FileEnds.Read) -> Bool? {
        guard file.head.starts(with: [0xFF, 0xD8]) else { return nil }
        return file.tail.suffix(2).elementsEqual([0xFF, 0xD9])
    }

    /// Decodes an image, also a truncated one if enough of it is present.
    func decode(_ bytes: Span<UInt8>, with reader: ImageReader) throws(ImageError) -> DecodedImages {
        if let cut = CutJPEG(bytes) { return try decode(cut, of: bytes, with: reader) }
        do throws(ImageError) {
            return try decode(bytes, with: reader, isCut: false)
        } catch {
            guard error.code == .corrupt, let cut = CutJPEG(bytes, trustsEnd: false) else { throw error }
            return try decode(cut, of: bytes, with: reader)
        }
    }

    /// Decodes an incomplete image, if enough of it is there.
    private func decode(
        _ cut: CutJPEG, of bytes: Span<UInt8>, with reader: ImageReader
    ) throws(ImageError) -> DecodedImages {
        guard cut.hasEveryBand || reader.limits.acceptsTruncated else { throw .truncated(.jpeg) }
        var decoded = try decode(cut.closed(bytes).span, with: reader, isCut: true)
        if decoded.warning != nil || !cut.hasEveryBit { decoded.warning = .truncated }
        return decoded
    }

    /// Decodes with our own decoders, or with libjpeg if they refuse the image.
    ///
    /// libjpeg may accept without a warning what our decoder treats as damage; the image is no better for it.
    private func decode(
        _ bytes: Span<UInt8>, with reader: ImageReader, isCut: Bool
    ) throws(ImageError) -> DecodedImages {
        let colors = DecodedColors(.readJPEG(bytes))
        var isDamaged = false
        do throws(ImageError) {
            if let decoded = try decodeUsual(bytes, with: reader, colors) { return decoded }
        } catch {
            isDamaged = error.code == .corrupt
        }
        var decoded = try unsafe bytes.withUnsafeBufferPointer { buffer throws(ImageError) in
            try unsafe decodeByLibJPEG(buffer, with: reader, colors, isCut: isCut)
        }
        if isDamaged, decoded.warning == nil { decoded.warning = .damaged }
        return decoded
    }

    /// Decodes with our own decoders; returns nil if they refuse the image.
    private func decodeUsual(
        _ bytes: Span<UInt8>, with reader: ImageReader, _ colors: DecodedColors
    ) throws(ImageError) -> DecodedImages? {
        let size = reader.header.storedSize
        if let frame = SequentialFrame.read(bytes) {
            guard frame.size == size,
                let decoder = ScaledJPEGDecoder(
                    frame, eighths: JPEGScale.eighths(of: frame, for: reader.largest, chroma: reader.largestChroma))
            else { return nil }
            return try reader.read(decoder, bytes, colors: colors, isStrict: true)
        }
        guard let progressive = ProgressiveFrame.read(bytes, maxScans: reader.limits.scanCount(for: size)),
            progressive.frame.size == size,
            case let eighths = JPEGScale.eighths(
                of: progressive.frame, for: reader.largest, chroma: reader.largestChroma),
            let decoder = ProgressiveDecoder(
                progressive, eighths: eighths, from: bytes, maxBytes: reader.limits.maxWorkingBytes)
        else { return nil }
        return try reader.read(decoder, bytes, colors: colors, isStrict: true)
    }

    @unsafe
    private func decodeByLibJPEG(
        _ buffer: UnsafeBufferPointer<UInt8>, with reader: ImageReader, _ colors: DecodedColors, isCut: Bool
    ) throws(ImageError) -> DecodedImages {
        try unsafe JPEGScans.check(buffer.span, size: reader.header.storedSize, limits: reader.limits)
        let image = try unsafe LibJPEGImage(buffer, header: reader.header, limits: reader.limits, isCut: isCut)
        let eighths = JPEGScale.eighths(of: image.size, for: reader.largest, isTransformSharp: false)
        let bytes = unsafe buffer.span
        return image.isPlanar
            ? try reader.read(LibJPEGPlaneDecoder(image, eighths: eighths), bytes, colors: colors)
            : try reader.read(DeinterleavingDecoder(LibJPEGRowDecoder(image, eighths: eighths)), bytes, colors: colors)
    }
}
