/// Removes the place from a WebP (RFC 9649, section 2): scrubs EXIF in place, and removes XMP that names a place and
/// chunks of unknown kinds as a whole.
enum WebPScrubber {
    /// The chunks that stay unchanged: header, images, alpha, animation and colour profile.
    private static let known = ["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]

    static func scrub(_ file: inout ScrubbedBytes) throws(ImageError) {
        var chunks = try RIFFChunks(fileOf: file.bytes.span)
        guard let length = file.bytes.span.uint32(at: 4, isLittleEndian: true) else { throw .truncated(.webp) }
        let end = 8 + length
        var (flags, keepsXMP, losesXMP) = (nil as Int?, false, false)
        while let chunk = try chunks.next(file.bytes.span) {
            let (type, payload) = (chunk.type, chunk.payload)
            let whole = type..<min(end, payload.upperBound + payload.count % 2)
            if file.bytes.span.starts(with: "EXIF", at: type) {
                // Some programs write JPEG's prefix before the EXIF.
                let prefix =
                    file.bytes.span.starts(with: "Exif\0\0", at: payload.lowerBound) ? min(6, payload.count) : 0
                file.scrubEXIF(in: payload.dropFirst(prefix))
            } else if file.bytes.span.starts(with: "XMP ", at: type) {
                if LocationKeywords.mustGo(file.bytes.span.extracting(payload)) {
                    file.cut(whole, as: .xmp)
                    losesXMP = true
                } else {
                    keepsXMP = true
                }
            } else if !known.contains(where: { file.bytes.span.starts(with: $0, at: type) }) {
                file.cut(whole, as: .unknownData)
            } else if type == 12, file.bytes.span.starts(with: "VP8X", at: type), !payload.isEmpty {
                flags = payload.lowerBound
            }
        }
        // The length and the flags precede all cuts.
        let newLength = length - file.cutCount
        file.write([0, 8, 16, 24].map { UInt8(truncatingIfNeeded: newLength >> $0) }, at: 4)
        if let flags, losesXMP, !keepsXMP { file.write(file.copy(flags..<flags + 1).map { $0 & ~xmpFlag }, at: flags) }
        file.cut(end..<file.count, as: .trailingData)
    }

    /// The flag for XMP (RFC 9649, section 2.7).
    private static let xmpFlag: UInt8 = 4
}
