/// Texts as addresses carry them (RFC 3986 §2.1).
enum PercentEncoding {
    /// The text that `%XX` and plain bytes stand for; nil when that is not UTF-8, or an escape is broken.
    ///
    /// - Parameter plusIsSpace: As in forms and queries (WHATWG URL §5).
    static func decode(_ text: Substring.UTF8View, plusIsSpace: Bool = false) -> String? {
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

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
