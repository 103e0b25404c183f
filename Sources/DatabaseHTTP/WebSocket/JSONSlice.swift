import Access
import TreeModel

/// A value within a JSON text, unparsed.
///
/// Members are found by quotes and brackets alone, so that a long value can be passed on without parsing it; errors in
/// a value are found when it is parsed. Unread members are not checked.
struct JSONSlice {
    private let text: [UInt8]
    private let range: Range<Int>

    /// Creates a slice of the whole text.
    init(_ text: [UInt8]) { self.init(text, text.indices) }

    private init(_ text: [UInt8], _ range: Range<Int>) {
        self.text = text
        self.range = range
    }

    /// The bytes of the value.
    var bytes: ArraySlice<UInt8> { text[range] }

    /// The parsed value; nil if it is malformed or longer than 64 KiB.
    var value: JSONValue? { range.count <= 1 << 16 ? JSONValue(text: bytes) : nil }

    /// Returns the members of an object by name; nil for other values. Of several members with one name the last
    /// counts.
    func members() -> [String: JSONSlice]? {
        var scanner = Scanner(text: text, index: range.lowerBound, end: range.upperBound)
        guard scanner.skip(UInt8(ascii: "{")) else { return nil }
        var members: [String: JSONSlice] = [:]
        if scanner.skip(UInt8(ascii: "}")) { return scanner.isAtEnd ? members : nil }
        repeat {
            guard let quoted = scanner.nextValue(), let name = JSONValue(text: text[quoted])?.string,
                scanner.skip(UInt8(ascii: ":")), let value = scanner.nextValue()
            else { return nil }
            members[name] = JSONSlice(text, value)
        } while scanner.skip(UInt8(ascii: ","))
        return scanner.skip(UInt8(ascii: "}")) && scanner.isAtEnd ? members : nil
    }
}

/// A scanner that steps through a JSON text from value to value.
private struct Scanner {
    let text: [UInt8]
    var index: Int
    let end: Int

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return index == end
        }
    }

    private mutating func skipSpace() {
        while index < end, [0x20, 0x09, 0x0A, 0x0D].contains(text[index]) { index += 1 }
    }

    /// Skips a character if it is the next one.
    mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < end, text[index] == byte else { return false }
        index += 1
        return true
    }

    /// Skips a value; nil if it does not end before the text does.
    mutating func nextValue() -> Range<Int>? {
        skipSpace()
        let start = index
        var depth = 0
        while index < end {
            switch text[index] {
            case UInt8(ascii: "\""):
                guard skipString() else { return nil }
                if depth == 0 { return start..<index }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return start < index ? start..<index : nil }
                depth -= 1
                index += 1
                if depth == 0 { return start..<index }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                guard depth > 0 else { return start < index ? start..<index : nil }
                index += 1
            default: index += 1
            }
        }
        return depth == 0 && start < index ? start..<index : nil
    }

    private mutating func skipString() -> Bool {
        index += 1
        while index < end {
            switch text[index] {
            case UInt8(ascii: "\""):
                index += 1
                return true
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        index = end
        return false
    }
}
