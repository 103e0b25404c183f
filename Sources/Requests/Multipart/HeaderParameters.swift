/// A header field's value with parameters, such as `form-data; name="photo"` (RFC 9110 §5.6.6).
package struct HeaderParameters {
    /// The text before the parameters, in lower case.
    package let value: String
    private var parameters: [String: String] = [:]

    /// Parses a value; parsing stops at the first malformed parameter.
    package init(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        value = Self.token(&rest).lowercased()
        while Self.skip(UInt8(ascii: ";"), in: &rest) {
            let name = Self.token(&rest).lowercased()
            guard Self.skip(UInt8(ascii: "="), in: &rest) else { break }
            let value = rest.first == UInt8(ascii: "\"") ? Self.quotedString(&rest) : Self.token(&rest)
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    /// The parameter with a name, which is given in lower case; nil if there is none.
    package subscript(name: String) -> String? { parameters[name] }

    private static func skip(_ separator: UInt8, in rest: inout ArraySlice<UInt8>) -> Bool {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard rest.first == separator else { return false }
        rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return true
    }

    private static func token(_ rest: inout ArraySlice<UInt8>) -> String {
        let token = rest.prefix { ![UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "\"")].contains($0) }
        rest = rest.dropFirst(token.count)
        let trimmed = token.reversed().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.reversed()
        return String(decoding: Array(trimmed), as: UTF8.self)
    }

    /// Parses a quoted string. A backslash escapes `"` and `\`; elsewhere it is literal, because some clients send
    /// `C:\photo.jpg` unescaped.
    private static func quotedString(_ rest: inout ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let next = rest.first,
                [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(next)
            {
                bytes.append(next)
                rest = rest.dropFirst()
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
