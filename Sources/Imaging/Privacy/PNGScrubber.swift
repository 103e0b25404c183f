internal import CCodecs

/// Removes the place from a PNG (PNG specification, third edition, sections 5 and 11).
///
/// EXIF is scrubbed in place. Other ancillary chunks stay only if their kind is known, and text only as `keepsText`
/// decides.
enum PNGScrubber {
    static func scrub(_ file: inout ScrubbedBytes) throws(ImageError) {
        var offset = 8  // after the signature
        while offset < file.count {
            guard let length = file.bytes.span.uint32(at: offset), length <= file.count - offset - 12 else {
                throw .truncated(.png)
            }
            let (type, payload) = (offset + 4, offset + 8..<offset + 8 + length)
            let whole = offset..<payload.upperBound + 4
            offset = whole.upperBound
            if file.bytes.span.starts(with: "IEND", at: type) { break }
            if file.bytes.span.starts(with: "eXIf", at: type) {
                scrubEXIF(&file, in: payload)
            } else if let source = try fault(of: payload, type: type, file.bytes.span) {
                file.cut(whole, as: source)
            }
        }
        file.cut(offset..<file.count, as: .trailingData)
    }

    private static func scrubEXIF(_ file: inout ScrubbedBytes, in payload: Range<Int>) {
        let sumBefore = checksum(file.bytes.span, in: payload.lowerBound - 4..<payload.upperBound)
        file.scrubEXIF(in: payload)
        let sum = checksum(file.bytes.span, in: payload.lowerBound - 4..<payload.upperBound)
        // A checksum that was wrong before stays wrong unless the chunk has changed.
        guard sum != sumBefore else { return }
        file.write([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }, at: payload.upperBound)
    }

    private static func checksum(_ bytes: Span<UInt8>, in range: Range<Int>) -> UInt32 {
        let checked = bytes.extracting(range)
        return unsafe checked.withUnsafeBufferPointer { unsafe ccodecs_crc32($0.baseAddress, $0.count) }
    }

    /// The chunks that stay: the image, transparency, colours, pixel size, background, palettes, time and animation.
    private static let known = [
        "IHDR", "PLTE", "IDAT", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "mDCv", "cLLi",
        "bKGD", "hIST", "pHYs",
        "sPLT", "tIME", "acTL", "fcTL", "fdAT", "oFFs", "pCAL", "sCAL", "sTER",
    ]

    /// The reason for removing a chunk; nil if it stays.
    private static func fault(
        of range: Range<Int>, type: Int, _ bytes: Span<UInt8>
    ) throws(ImageError) -> LocationSource? {
        if known.contains(where: { bytes.starts(with: $0, at: type) }) { return nil }
        // A first capital letter marks a chunk that decoders must understand; types consist of letters.
        guard bytes[type] & 0x20 != 0, (type..<type + 4).allSatisfy({ PNGChunks.isLetter(bytes[$0]) }) else {
            throw .corrupt(.png, "a chunk of an unknown kind")
        }
        let payload = bytes.extracting(range)
        let isPacked = bytes.starts(with: "zTXt", at: type)
        if bytes.starts(with: "iTXt", at: type) { return keepsInternationalText(payload) ? nil : .text }
        guard isPacked || bytes.starts(with: "tEXt", at: type) else { return .unknownData }
        return keepsText(payload, isPacked: isPacked) ? nil : .text
    }

    /// The keywords of text by people (PNG specification, 11.3.3.2); all other text is written by programs.
    private static let keywords = [
        "Title", "Author", "Description", "Copyright", "Creation Time", "Software", "Disclaimer", "Warning", "Source",
        "Comment",
    ]

    private static func isWrittenByPeople(_ payload: Span<UInt8>) -> Bool {
        keywords.contains { payload.starts(with: $0 + "\0") }
    }

    /// Whether a text chunk stays: a keyword, a zero and a text.
    ///
    /// Programs store compressed or hexadecimal EXIF and IPTC in such chunks, or one chunk per field (`exif:GPSInfo`).
    private static func keepsText(_ payload: Span<UInt8>, isPacked: Bool) -> Bool {
        if isWrittenByPeople(payload) { return true }
        guard !isPacked, !payload.starts(with: "Raw profile type"), let end = payload.firstIndex(of: 0, from: 0) else {
            return false
        }
        return !LocationKeywords.mustGo(payload.extracting(..<end))
            && !LocationKeywords.mustGo(payload.extracting((end + 1)...))
    }

    /// Whether an international text chunk stays: a keyword, a zero, the compression flag and method, a language, a
    /// zero, the translated keyword, a zero, and the text, which is XMP if the keyword says so.
    private static func keepsInternationalText(_ payload: Span<UInt8>) -> Bool {
        if isWrittenByPeople(payload) { return true }
        guard let keyword = payload.firstIndex(of: 0, from: 0), payload.byte(at: keyword + 1) == 0,
            let language = payload.firstIndex(of: 0, from: keyword + 3),
            let translation = payload.firstIndex(of: 0, from: language + 1)
        else { return false }
        return !LocationKeywords.mustGo(payload.extracting(..<keyword))
            && !LocationKeywords.mustGo(payload.extracting((translation + 1)...))
    }
}
