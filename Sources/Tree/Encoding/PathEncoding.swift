/// The encoding of paths as bytes, segment by segment. It is prefix-free, so that byte order is the protocol's key
/// order and a subtree is one contiguous range.
///
///     01                          (last) the node's priority, before its children
///     10 vvvvvvvv 00              a key that is the canonical text of a 32-bit integer v (sign bit flipped, big endian)
///     10 vvvvvvvv 01 eeee ss      another text of it: e more characters than the canonical one; s 02 with "-", else 03
///     20 text 00                  any other key, in CESU-8
///
/// CESU-8 (Unicode Technical Report 26) writes characters beyond U+FFFF as two surrogates of three bytes each; its byte
/// order is the order of UTF-16 code units. The encoding is total and reversible: "1", "01" and "-0" are different
/// keys. A path ends in 01 if, and only if, it is that of a priority.
enum PathEncoding {
    static let priorityTag: UInt8 = 0x01
    private static let integerTag: UInt8 = 0x10
    private static let textTag: UInt8 = 0x20
    private static let minusTag: UInt8 = 0x02
    private static let noMinusTag: UInt8 = 0x03
    /// The end marker of a subtree's range, greater than the first byte of every segment.
    static let subtreeEnd: UInt8 = 0xFF

    /// Appends the segment of a key.
    static func append(_ key: TreeKey, to bytes: inout [UInt8]) { append(utf8: key.string.utf8.span, to: &bytes) }

    /// Appends the segment of a valid key.
    static func append(utf8 key: Span<UInt8>, to bytes: inout [UInt8]) {
        if let integer = TreeKey.integer(of: key) {
            appendInteger(integer, text: key, to: &bytes)
        } else {
            bytes.append(textTag)
            CESU8.append(key, to: &bytes)
            bytes.append(0)
        }
    }

    /// Appends the segment of an array index.
    static func append(index: Int32, to bytes: inout [UInt8]) {
        bytes.append(integerTag)
        bytes.appendBigEndian(UInt32(bitPattern: index) ^ 0x8000_0000)
        bytes.append(0)
    }

    private static func appendInteger(_ integer: Int32, text: Span<UInt8>, to bytes: inout [UInt8]) {
        append(index: integer, to: &bytes)
        let extra = text.count - decimalLength(of: integer)
        guard extra > 0 else { return }
        bytes[bytes.count - 1] = 1
        bytes.appendBigEndian(UInt16(truncatingIfNeeded: extra))
        bytes.append(text[0] == UInt8(ascii: "-") ? minusTag : noMinusTag)
    }

    private static func decimalLength(of integer: Int32) -> Int {
        var length = integer < 0 ? 2 : 1
        var rest = integer.magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        return length
    }

    /// Returns the end of the segment that begins at an offset.
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
        case priorityTag:
            return start + 1
        default:
            throw malformed
        }
    }

    /// Whether a complete segment is a non-canonical text of an integer.
    static func isOtherTextOfInteger(_ segment: Span<UInt8>) -> Bool { segment.count > 6 && segment[0] == integerTag }

    /// Returns the array index of a segment: the number, if the segment is the canonical text of a non-negative
    /// integer.
    static func index(_ segment: Span<UInt8>) -> Int? {
        guard segment.count == 6, segment[0] == integerTag, segment[1] & 0x80 != 0 else { return nil }
        return segment.extracting(1..<5).withUnsafeBufferPointer { bytes in
            bytes.reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        }
    }

    /// Appends the key of one complete segment, as UTF-8.
    static func appendText(of segment: Span<UInt8>, to text: inout [UInt8]) throws(TreeError) {
        guard segment.count >= 3 else { throw malformed }
        if segment[0] == integerTag {
            guard let integer = try decodeInteger(segment) else { throw malformed }
            text.append(contentsOf: integer.utf8)
        } else {
            CESU8.decode(segment.extracting(1..<segment.count - 1), to: &text)
        }
    }

    /// Returns the key of one complete segment.
    static func decode(_ segment: Span<UInt8>) throws(TreeError) -> TreeKey {
        var text: [UInt8] = []
        try appendText(of: segment, to: &text)
        guard let string = String(validating: text.span), let key = try? TreeKey(string) else { throw malformed }
        return key
    }

    /// Returns the keys of a complete path.
    static func decodeKeys(_ bytes: Span<UInt8>) throws(TreeError) -> [TreeKey] {
        var keys: [TreeKey] = []
        var start = 0
        while start < bytes.count {
            let end = try segmentEnd(in: bytes, from: start)
            keys.append(try decode(bytes.extracting(start..<end)))
            start = end
        }
        return keys
    }

    /// Returns a path as text, "a/b", from an offset on; the path of a priority ends in ".priority".
    static func text(of bytes: Span<UInt8>, below start: Int) throws(TreeError) -> [UInt8] {
        var text: [UInt8] = []
        var start = start
        while start < bytes.count {
            if !text.isEmpty { text.append(UInt8(ascii: "/")) }
            let end = try segmentEnd(in: bytes, from: start)
            if bytes[start] == priorityTag {
                text.append(contentsOf: ".priority".utf8)
            } else {
                try appendText(of: bytes.extracting(start..<end), to: &text)
            }
            start = end
        }
        return text
    }

    /// Checks that the bytes from an offset on are a valid path.
    ///
    /// - Throws: ``TreeError`` with code `corrupt`.
    static func check(_ bytes: Span<UInt8>, below start: Int) throws(TreeError) {
        var start = start
        while start < bytes.count {
            let end = try segmentEnd(in: bytes, from: start)
            if isOtherTextOfInteger(bytes.extracting(start..<end)) {
                guard try decodeInteger(bytes.extracting(start..<end)) != nil else { throw malformed }
            }
            start = end
        }
    }

    private static func decodeInteger(_ segment: Span<UInt8>) throws(TreeError) -> String? {
        let bits: UInt32 = try segment.bigEndian(at: 1)
        let integer = Int32(bitPattern: bits ^ 0x8000_0000)
        guard segment.count > 6 else { return integer.description }
        let extra = Int(try segment.bigEndian(at: 6) as UInt16)
        let isNegative = try segment.bigEndian(at: 8) as UInt8 == minusTag
        guard extra <= TreeKey.maxBytes else { return nil }
        // The sign alone makes "-0" one character longer than "0".
        let zeros = extra - (isNegative && integer == 0 ? 1 : 0)
        return (isNegative ? "-" : "") + String(repeating: "0", count: max(zeros, 0)) + integer.magnitude.description
    }

    private static var malformed: TreeError { .corrupt("a path in the store is malformed") }
}
