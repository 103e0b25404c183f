extension Lexer {
    /// Reads a string, with the escapes of JavaScript (ECMA-262 §12.9.4).
    mutating func readString(quote: UInt8) throws(ExpressionError) -> String {
        let start = position
        var utf8: [UInt8] = []
        position += 1
        while true {
            guard position < bytes.count, bytes[position] != UInt8(ascii: "\n") else {
                throw ExpressionError("A string has no end.", at: start)
            }
            let byte = bytes[position]
            position += 1
            switch byte {
            case quote: return String(decoding: utf8, as: UTF8.self)
            case UInt8(ascii: "\\"): try readEscape(to: &utf8)
            default: utf8.append(byte)
            }
        }
    }

    private mutating func readEscape(to utf8: inout [UInt8]) throws(ExpressionError) {
        let start = position - 1
        guard position < bytes.count else { throw ExpressionError("A string has no end.", at: start) }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "n"): utf8.append(0x0A)
        case UInt8(ascii: "t"): utf8.append(0x09)
        case UInt8(ascii: "r"): utf8.append(0x0D)
        case UInt8(ascii: "b"): utf8.append(0x08)
        case UInt8(ascii: "f"): utf8.append(0x0C)
        case UInt8(ascii: "v"): utf8.append(0x0B)
        case UInt8(ascii: "0"): utf8.append(0x00)
        case UInt8(ascii: "\n"): break
        case UInt8(ascii: "x"): append(try readHexadecimal(2, from: start), to: &utf8)
        case UInt8(ascii: "u"): append(try readUnicode(from: start), to: &utf8)
        case UInt8(ascii: "1")...UInt8(ascii: "9"): throw ExpressionError("Invalid escape in a string.", at: start)
        default: utf8.append(byte)
        }
    }

    private func append(_ scalar: Unicode.Scalar, to utf8: inout [UInt8]) {
        utf8.append(contentsOf: Array(String(scalar).utf8))
    }

    private mutating func readHexadecimal(_ count: Int, from start: Int) throws(ExpressionError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(try readDigits(count, from: start)) else {
            throw ExpressionError("Invalid escape in a string.", at: start)
        }
        return scalar
    }

    /// Reads the rest of an escape after `\u`: four digits, two such escapes that form a pair, or digits in braces.
    private mutating func readUnicode(from start: Int) throws(ExpressionError) -> Unicode.Scalar {
        if position < bytes.count, bytes[position] == UInt8(ascii: "{") {
            let end = bytes[position...].prefix(8).firstIndex(of: UInt8(ascii: "}")) ?? position
            position += 1
            let scalar = try readHexadecimal(end - position, from: start)
            position += 1
            return scalar
        }
        let first = try readDigits(4, from: start)
        guard first & 0xFC00 == 0xD800, bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
            position -= 4
            return try readHexadecimal(4, from: start)
        }
        position += 2
        let second = try readDigits(4, from: start)
        guard second & 0xFC00 == 0xDC00, let scalar = Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
        else { throw ExpressionError("Invalid escape in a string.", at: start) }
        return scalar
    }

    private mutating func readDigits(_ count: Int, from start: Int) throws(ExpressionError) -> UInt32 {
        guard count > 0, position + count <= bytes.count else {
            throw ExpressionError("Invalid escape in a string.", at: start)
        }
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue else {
                throw ExpressionError("Invalid escape in a string.", at: start)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    /// Reads the regular expression whose first slash is at an offset: the pattern between the slashes, and the flags.
    mutating func readRegularExpression(at start: Int) throws(ExpressionError) -> (pattern: String, flags: String) {
        position = start + 1
        var isInClass = false
        while position < bytes.count, isInClass || bytes[position] != UInt8(ascii: "/") {
            switch bytes[position] {
            case UInt8(ascii: "\n"): throw ExpressionError("A regular expression has no end.", at: start)
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            default: break
            }
            position += 1
        }
        guard position < bytes.count else { throw ExpressionError("A regular expression has no end.", at: start) }
        let pattern = text(start + 1..<position)
        let end = position + 1
        position = end
        while position < bytes.count, isLetter(bytes[position]) { position += 1 }
        return (pattern, text(end..<position))
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
