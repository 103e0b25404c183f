/// Paths as bytes: segment by segment, prefix-free, so that byte order is the protocol's key order and a subtree is one
/// contiguous range.
///
///     10 vvvvvvvv 00              a key that is the canonical text of a 32-bit integer v (sign bit flipped, big endian)
///     10 vvvvvvvv 01 eeee ss      another text of it: e more characters than the canonical one; s 00 with "-", else 01
///     20 text 00                  any other key, in CESU-8
///
/// CESU-8 (Unicode Technical Report 26) writes characters beyond U+FFFF as two surrogates of three bytes each; its byte
/// order is the order of UTF-16 code units. The encoding is total and reversible: "1", "01" and "-0" are keys of their
/// own.
enum PathEncoding {
    private static let integerTag: UInt8 = 0x10
    private static let textTag: UInt8 = 0x20
    /// Greater than the first byte of every segment: closes the range of a subtree.
    static let subtreeEnd: UInt8 = 0xFF

    static func append(_ key: TreeKey, to bytes: inout [UInt8]) {
        if let integer = key.integer {
            appendInteger(integer, text: key.string, to: &bytes)
        } else {
            bytes.append(textTag)
            appendCESU8(key.string, to: &bytes)
            bytes.append(0)
        }
    }

    private static func appendInteger(_ integer: Int32, text: String, to bytes: inout [UInt8]) {
        bytes.append(integerTag)
        bytes.appendBigEndian(UInt32(bitPattern: integer) ^ 0x8000_0000)
        let extra = text.utf8.count - integer.description.utf8.count
        guard extra > 0 else { return bytes.append(0) }
        bytes.append(1)
        bytes.appendBigEndian(UInt16(truncatingIfNeeded: extra))
        bytes.append(text.utf8.first == UInt8(ascii: "-") ? 0 : 1)
    }

    private static func appendCESU8(_ text: String, to bytes: inout [UInt8]) {
        guard text.utf8.contains(where: { $0 >= 0xF0 }) else { return bytes.append(contentsOf: text.utf8) }
        for unit in text.utf16 {
            switch unit {
            case ..<0x80:
                bytes.append(UInt8(unit))
            case ..<0x800:
                bytes.append(0xC0 | UInt8(unit >> 6))
                bytes.append(0x80 | UInt8(unit & 0x3F))
            default:
                bytes.append(0xE0 | UInt8(unit >> 12))
                bytes.append(0x80 | UInt8(unit >> 6 & 0x3F))
                bytes.append(0x80 | UInt8(unit & 0x3F))
            }
        }
    }

    /// Where the segment that begins at an offset ends.
    static func segmentEnd(in bytes: Span<UInt8>, from start: Int) throws(TreeError) -> Int {
        guard start < bytes.count else { throw malformed }
        switch bytes[start] {
        case integerTag:
            guard start + 5 < bytes.count else { throw malformed }
            let end = start + (bytes[start + 5] == 0 ? 6 : 9)
            guard end <= bytes.count else { throw malformed }
            return end
        case textTag:
            for index in start..<bytes.count where bytes[index] == 0 { return index + 1 }
            throw malformed
        default:
            throw malformed
        }
    }

    /// The key of one whole segment.
    static func decode(_ segment: Span<UInt8>) throws(TreeError) -> TreeKey {
        guard segment.count >= 3 else { throw malformed }
        let text =
            segment[0] == integerTag
            ? try decodeInteger(segment)
            : decodeCESU8(segment.extracting(1..<segment.count - 1))
        guard let text, let key = try? TreeKey(text) else { throw malformed }
        return key
    }

    /// The keys of a whole path.
    static func decodePath(_ bytes: Span<UInt8>) throws(TreeError) -> TreePath {
        var keys: [TreeKey] = []
        var start = 0
        while start < bytes.count {
            let end = try segmentEnd(in: bytes, from: start)
            keys.append(try decode(bytes.extracting(start..<end)))
            start = end
        }
        return TreePath(keys)
    }

    private static func decodeInteger(_ segment: Span<UInt8>) throws(TreeError) -> String? {
        let bits: UInt32 = try segment.bigEndian(at: 1)
        let integer = Int32(bitPattern: bits ^ 0x8000_0000)
        guard segment.count > 6 else { return integer.description }
        let extra = Int(try segment.bigEndian(at: 6) as UInt16)
        let isNegative = try segment.bigEndian(at: 8) as UInt8 == 0
        guard extra <= TreeKey.maxBytes else { return nil }
        // "-0" is one character longer than "0" by its sign alone.
        let zeros = extra - (isNegative && integer == 0 ? 1 : 0)
        return (isNegative ? "-" : "") + String(repeating: "0", count: max(zeros, 0)) + integer.magnitude.description
    }

    private static func decodeCESU8(_ text: Span<UInt8>) -> String? {
        var hasSurrogates = false
        for index in text.indices where text[index] == 0xED && index + 1 < text.count && text[index + 1] >= 0xA0 {
            hasSurrogates = true
        }
        guard hasSurrogates else { return String(validating: text) }
        return decodeUTF16Units(of: text)
    }

    private static func decodeUTF16Units(of text: Span<UInt8>) -> String? {
        var units: [UInt16] = []
        var index = 0
        while index < text.count {
            let first = text[index]
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : 3
            guard index + length <= text.count else { return nil }
            var unit = UInt16(length == 1 ? first : length == 2 ? first & 0x1F : first & 0x0F)
            for next in index + 1..<index + length { unit = unit << 6 | UInt16(text[next] & 0x3F) }
            units.append(unit)
            index += length
        }
        return String(validating: units, as: UTF16.self)
    }

    private static var malformed: TreeError { .corrupt("a path in the store is malformed") }
}
