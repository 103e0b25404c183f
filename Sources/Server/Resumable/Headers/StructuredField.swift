/// Parses values of header fields in the form of RFC 9651, as far as uploads use it: an Item that is a Boolean or a
/// non-negative Integer. Its parameters are parsed and ignored. Other forms are nil, and the field counts as missing.
enum StructuredField {
    /// Parses `?1` or `?0` (RFC 9651 §3.3.6).
    static func boolean(_ text: String) -> Bool? {
        var rest = Array(text.utf8)[...]
        skipSpaces(&rest)
        guard rest.popFirst() == UInt8(ascii: "?"), let digit = rest.popFirst(),
            digit == UInt8(ascii: "0") || digit == UInt8(ascii: "1"), isEnd(&rest)
        else { return nil }
        return digit == UInt8(ascii: "1")
    }

    /// Parses at most 15 digits (RFC 9651 §3.3.1).
    static func integer(_ text: String) -> Int? {
        var rest = Array(text.utf8)[...]
        skipSpaces(&rest)
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        guard (1...15).contains(digits.count), isEnd(&rest) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Whether only parameters remain (RFC 9651 §4.2.3.2).
    private static func isEnd(_ rest: inout ArraySlice<UInt8>) -> Bool {
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst()
            skipSpaces(&rest)
            guard let first = rest.first, isKeyStart(first) else { return false }
            rest = rest.drop(while: isKeyByte)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            guard skipBareItem(&rest) else { return false }
        }
        skipSpaces(&rest)
        return rest.isEmpty
    }

    private static func skipBareItem(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: "\"") else {
            let item = rest.prefix { $0 > UInt8(ascii: " ") && $0 < 0x7f && !";,\"".utf8.contains($0) }
            rest = rest.dropFirst(item.count)
            return !item.isEmpty
        }
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst(), "\"\\".utf8.contains(next) else { return false }
            case 0x20..<0x7f: break
            default: return false
            }
        }
        return false
    }

    private static func isKeyStart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "*")
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        isKeyStart(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_-.".utf8.contains(byte)
    }

    private static func skipSpaces(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
    }
}
