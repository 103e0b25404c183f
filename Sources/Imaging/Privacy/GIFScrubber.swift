/// Removes the place from a GIF (GIF89a specification, sections 17 to 27): XMP that names a place, and extensions of
/// unknown kinds. Comments and plain text stay.
enum GIFScrubber {
    static func scrub(_ file: inout ScrubbedBytes) throws(ImageError) {
        guard let flags = file.bytes.span.byte(at: 10), file.count >= 13 else { throw .truncated(.gif) }
        var offset = 13 + colorTableBytes(flags)
        while let introducer = file.bytes.span.byte(at: offset), introducer != 0x3B {
            let start = offset
            switch introducer {
            case 0x21:
                offset = try endOfSubBlocks(file.bytes.span, from: offset + 2)
                if let source = fault(of: file.bytes.span.extracting(start + 1..<offset)) {
                    file.cut(start..<offset, as: source)
                }
            case 0x2C:
                guard let flags = file.bytes.span.byte(at: offset + 9) else { throw .truncated(.gif) }
                // The code size follows the descriptor and the colours.
                offset = try endOfSubBlocks(file.bytes.span, from: offset + 11 + colorTableBytes(flags))
            default: throw .corrupt(.gif, "an unknown block")
            }
        }
        guard offset <= file.count else { throw .truncated(.gif) }
        // The trailer may be missing.
        file.cut(min(offset + 1, file.count)..<file.count, as: .trailingData)
    }

    /// The length in bytes of the colour table that a descriptor's flags announce.
    private static func colorTableBytes(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    private static func endOfSubBlocks(_ bytes: Span<UInt8>, from start: Int) throws(ImageError) -> Int {
        var offset = start
        while let length = bytes.byte(at: offset) {
            offset += 1 + Int(length)
            if length == 0 { return offset }
        }
        throw .truncated(.gif)
    }

    /// The application extensions that stay: the number of loops of an animation, and the colour profile.
    private static let known = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]

    /// The reason for removing an extension, whose block begins with its label; nil if it stays.
    private static func fault(of block: Span<UInt8>) -> LocationSource? {
        switch block.byte(at: 0) {
        // Plain text, a graphic control or a comment.
        case 0x01, 0xF9, 0xFE: return nil
        case 0xFF where known.contains { block.starts(with: "\u{B}\($0)", at: 1) }: return nil
        case 0xFF where block.starts(with: "\u{B}XMP DataXMP", at: 1):
            guard let packet = packet(block) else { return .xmp }
            return LocationKeywords.mustGo(block.extracting(packet)) ? .xmp : nil
        default: return .unknownData
        }
    }

    /// The range of an XMP packet, which is stored whole, not in sub-blocks. The bytes after it lead any reader of
    /// sub-blocks to the end: 1, 255, 254 and so on to 0, and 0 (XMP specification, part 3, 1.1.2). Nil without them.
    private static func packet(_ block: Span<UInt8>) -> Range<Int>? {
        let (start, end) = (13, block.count - 258)  // after the label and the application's name
        guard end > start, block.byte(at: end) == 1 else { return nil }
        for index in 0...256 where block.byte(at: end + 1 + index) != UInt8(max(0, 255 - index)) { return nil }
        return start..<end
    }
}
