/// The percent-encoding of texts in addresses (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Decodes `%XX` and plain bytes; nil if the result is not UTF-8, or an escape is malformed.
    ///
    /// - Parameter plusIsSpace: Whether `+` is a space, as in forms and queries (WHATWG URL §5).
    package static func decode(_ text: Substring.UTF8View, plusIsSpace: Bool = false) -> String? {
        let isPlain = text.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") && $0 < 0x80 }
        if isPlain { return String(Substring(text)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Encodes bytes as unreserved characters and escapes (RFC 3986 §2.3).
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}

/// The fields of a query, or of a body of the type `application/x-www-form-urlencoded`, in the order in which they were
/// sent (WHATWG URL §5).
package struct URLEncodedFields: Sequence, IteratorProtocol {
    /// A field, decoded on access.
    package struct Field {
        /// The field as it was sent, undecoded.
        package let text: Substring
        /// The name, undecoded.
        package let encodedName: Substring
        /// The value, undecoded; nil for a field without an equals sign.
        package let encodedValue: Substring?

        fileprivate init(_ pair: Substring.UTF8View) {
            text = Substring(pair)
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            encodedName = Substring(parts[0])
            encodedValue = parts.count > 1 ? Substring(parts[1]) : nil
        }

        /// The name; nil if it is not percent-encoded UTF-8.
        package var name: String? { PercentEncoding.decode(encodedName.utf8, plusIsSpace: true) }

        /// The value, empty for a field without an equals sign; nil if it is not percent-encoded UTF-8.
        package var value: String? { PercentEncoding.decode((encodedValue ?? "").utf8, plusIsSpace: true) }
    }

    private var rest: Substring.UTF8View

    /// Creates an iterator over the fields of a text; nil has none.
    package init(_ text: String?) { rest = Substring(text ?? "").utf8 }

    package mutating func next() -> Field? {
        rest = rest.drop { $0 == UInt8(ascii: "&") }
        guard !rest.isEmpty else { return nil }
        let pair = rest.prefix { $0 != UInt8(ascii: "&") }
        rest = rest[pair.endIndex...]
        return Field(pair)
    }
}
