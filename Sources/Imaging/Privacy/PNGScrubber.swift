internal import CCodecs

/// Takes the place out of a PNG (PNG specification, third edition, sections 5 and 11).
///
/// EXIF is scrubbed in its place. Of the other chunks beside the image only kinds that are known stay, and text as
/// `keepsText` says.
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
        // A sum that was wrong stays so, unless something changed.
        guard sum != sumBefore else { return }
        file.write([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }, at: payload.upperBound)
    }

    private static func checksum(_ bytes: Span<UInt8>, in range: Range<Int>) -> UInt32 {
        let checked = bytes.extracting(range)
        return unsafe checked.withUnsafeBufferPointer { unsafe ccodecs_crc32($0.baseAddress, $0.count) }
    }

    /// The chunks that stay: the image, transparency, colour, size of pixels, background, palettes, time, animation.
    private static let known = [
        "IHDR", "PLTE", "IDAT", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "mDCv", "cLLi",
        "bKGD", "hIST", "pHYs",
        "sPLT", "tIME", "acTL", "fcTL", "fdAT", "oFFs", "pCAL", "sCAL", "sTER",
    ]

    /// The reason why a chunk has to go; nil if it stays.
    private static func fault(
        of range: Range<Int>, type: Int, _ bytes: Span<UInt8>
    ) throws(ImageError) -> LocationSource? {
        if known.contains(where: { bytes.starts(with: $0, at: type) }) { return nil }
        // With a capital letter first, a chunk must be understood; and types are letters.
        guard bytes[type] & 0x20 != 0, (type..<type + 4).allSatisfy({ PNGChunks.isLetter(bytes[$0]) }) else {
            throw .corrupt(.png, "a chunk of an unknown kind")
        }
        let payload = bytes.extracting(range)
        let isPacked = bytes.starts(with: "zTXt", at: type)
        if bytes.starts(with: "iTXt", at: type) { return keepsInternationalText(payload) ? nil : .text }
        guard isPacked || bytes.starts(with: "tEXt", at: type) else { return .unknownData }
        return keepsText(payload, isPacked: isPacked) ? nil : .text
    }

    /// The keywords of what people write (PNG specification, 11.3.3.2); everything else is written by programs.
    private static let keywords = [
        "Title", "Author", "Description", "Copyright", "Creation Time", "Software", "Disclaimer", "Warning", "Source",
        "Comment",
    ]

    private static func isWrittenByPeople(_ payload: Span<UInt8>) -> Bool {
        keywords.contains { payload.starts(with: $0 + "\0") }
    }

    /// Whether a text chunk, a keyword and a text behind a zero, stays.
    ///
    /// Programs put packed or hexadecimal EXIF and IPTC into such chunks, or one chunk for each field (`exif:GPSInfo`).
    private static func keepsText(_ payload: Span<UInt8>, isPacked: Bool) -> Bool {
        if isWrittenByPeople(payload) { return true }
        guard !isPacked, !payload.starts(with: "Raw profile type"), let end = payload.firstIndex(of: 0, from: 0) else {
            return false
        }
        return !LocationKeywords.mustGo(payload.extracting(..<end))
            && !LocationKeywords.mustGo(payload.extracting((end + 1)...))
    }

    /// Whether an international text chunk stays: a keyword, a zero, whether it is packed and how, a language, a zero, the
    /// translated keyword, a zero, and the text, which is XMP where the keyword says so.
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
