/// The encoding of text as bytes in the order of UTF-16 code units, in which JavaScript compares strings.
///
/// It is UTF-8, except that characters beyond U+FFFF are two surrogates of three bytes each (Unicode Technical Report
/// 26).
package enum CESU8 {
    /// Appends text that is valid UTF-8.
    package static func append(_ utf8: Span<UInt8>, to bytes: inout [UInt8]) {
        utf8.withUnsafeBufferPointer { utf8 in
            guard utf8.contains(where: { $0 >= 0xF0 }) else { return bytes.append(contentsOf: utf8) }
            for unit in String(decoding: utf8, as: UTF8.self).utf16 { append(unit, to: &bytes) }
        }
    }

    private static func append(_ unit: UInt16, to bytes: inout [UInt8]) {
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

    /// Appends the text as UTF-8.
    ///
    /// For bytes that this type has not written, the result may be invalid UTF-8; the caller must check it if this
    /// matters.
    package static func decode(_ bytes: Span<UInt8>, to utf8: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            var index = bytes.startIndex
            while let start = bytes[index...].firstIndex(of: 0xED) {
                utf8.append(contentsOf: bytes[index..<start])
                index = start
                if let scalar = surrogatePair(in: bytes, at: index) {
                    utf8.append(contentsOf: Array(String(scalar).utf8))
                    index += 6
                } else {
                    utf8.append(0xED)
                    index += 1
                }
            }
            utf8.append(contentsOf: bytes[index...])
        }
    }

    /// Returns the character whose two surrogates begin at an index; nil if there is no surrogate pair.
    private static func surrogatePair(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Unicode.Scalar? {
        guard index + 6 <= bytes.count, bytes[index + 1] & 0xF0 == 0xA0, bytes[index + 3] == 0xED,
            bytes[index + 4] & 0xF0 == 0xB0
        else { return nil }
        let high = UInt32(bytes[index + 1] & 0x0F) << 6 | UInt32(bytes[index + 2] & 0x3F)
        let low = UInt32(bytes[index + 4] & 0x0F) << 6 | UInt32(bytes[index + 5] & 0x3F)
        return Unicode.Scalar(0x10000 + (high << 10 | low))
    }
}
