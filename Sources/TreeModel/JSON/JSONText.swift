/// Strings and numbers in JSON syntax (RFC 8259 §6, §7).
package enum JSONText {
    /// Appends a string in quotes, with escapes.
    package static func append(_ utf8: Span<UInt8>, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        var start = 0
        for index in utf8.indices {
            let byte = utf8[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            json.append(utf8.extracting(start..<index))
            appendEscape(of: byte, to: &json)
            start = index + 1
        }
        json.append(utf8.extracting(start..<utf8.count))
        json.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(of byte: UInt8, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: json.append(UInt8(ascii: "b"))
        case 0x09: json.append(UInt8(ascii: "t"))
        case 0x0A: json.append(UInt8(ascii: "n"))
        case 0x0C: json.append(UInt8(ascii: "f"))
        case 0x0D: json.append(UInt8(ascii: "r"))
        case 0x00...0x1F:
            json.append(contentsOf: (byte < 0x10 ? "u000" : "u00").utf8)
            json.append(contentsOf: String(byte, radix: 16).utf8)
        default: json.append(byte)
        }
    }

    /// Appends a number. Doubles are written in the shortest form that reads back as the same number; infinity and NaN
    /// become null.
    package static func append(_ double: Double, to json: inout [UInt8]) {
        if let integer = Int64(exactly: double) {
            json.append(contentsOf: String(integer).utf8)
        } else {
            json.append(contentsOf: (double.isFinite ? double.description : "null").utf8)
        }
    }

    /// Decodes a string without its quotes, and appends the result.
    ///
    /// - Returns: Whether the string is valid: invalid escapes, unpaired surrogates and raw control characters are not
    ///   allowed.
    @usableFromInline package static func unescape(_ raw: Span<UInt8>, to utf8: inout [UInt8]) -> Bool {
        var index = 0
        while index < raw.count {
            let byte = raw[index]
            guard byte >= 0x20 else { return false }
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                utf8.append(byte)
                continue
            }
            guard index < raw.count else { return false }
            let escape = raw[index]
            index += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(escape)
            case UInt8(ascii: "b"): utf8.append(0x08)
            case UInt8(ascii: "f"): utf8.append(0x0C)
            case UInt8(ascii: "n"): utf8.append(0x0A)
            case UInt8(ascii: "r"): utf8.append(0x0D)
            case UInt8(ascii: "t"): utf8.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = unicodeEscape(in: raw, at: &index) else { return false }
                utf8.append(contentsOf: Array(String(scalar).utf8))
            default: return false
            }
        }
        return true
    }

    /// Returns the character of the four digits at an index; for a surrogate, together with the escape that follows.
    /// Returns nil for an invalid escape.
    private static func unicodeEscape(in raw: Span<UInt8>, at index: inout Int) -> Unicode.Scalar? {
        guard let first = hexadecimal(in: raw, at: &index) else { return nil }
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) }
        guard index + 2 <= raw.count, raw[index] == UInt8(ascii: "\\"), raw[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        index += 2
        guard let second = hexadecimal(in: raw, at: &index), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }

    private static func hexadecimal(in raw: Span<UInt8>, at index: inout Int) -> UInt32? {
        guard index + 4 <= raw.count else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(UnicodeScalar(raw[index])).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    @usableFromInline package static func isValidUTF8(_ bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
        }
    }
}

extension Span where Element == UInt8 {
    /// Whether a raw JSON string contains escapes, or control characters, which are not allowed.
    @usableFromInline package var needsUnescaping: Bool {
        for index in indices where self[index] == UInt8(ascii: "\\") || self[index] < 0x20 { return true }
        return false
    }
}

extension JSONNumber {
    /// Parses a number in JSON syntax; nil for other text, and for numbers beyond the range of a double.
    @usableFromInline package init?(_ text: Span<UInt8>) {
        guard let isWhole = Self.isWhole(text) else { return nil }
        if isWhole, let integer = Int64(text.text) {
            self = .integer(integer)
        } else {
            guard let double = Double(text.text), double.isFinite else { return nil }
            self = Int64(exactly: double).map(JSONNumber.integer) ?? .double(double)
        }
    }

    /// Whether a number has neither a fraction nor an exponent; nil if the text is not a number.
    private static func isWhole(_ text: Span<UInt8>) -> Bool? {
        var index = 0
        func skipDigits() -> Int {
            let start = index
            while index < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) { index += 1 }
            return index - start
        }
        func skip(_ bytes: UInt8...) -> Bool {
            guard index < text.count, bytes.contains(text[index]) else { return false }
            index += 1
            return true
        }
        _ = skip(UInt8(ascii: "-"))
        let firstDigit = index
        let digits = skipDigits()
        guard digits > 0, digits == 1 || text[firstDigit] != UInt8(ascii: "0") else { return nil }
        var isWhole = true
        if skip(UInt8(ascii: ".")) {
            isWhole = false
            guard skipDigits() > 0 else { return nil }
        }
        if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            isWhole = false
            _ = skip(UInt8(ascii: "+"), UInt8(ascii: "-"))
            guard skipDigits() > 0 else { return nil }
        }
        return index == text.count ? isWhole : nil
    }
}
