import TreeModel

/// The operations on strings in rules.
enum RuleText {
    /// The longest string that a rule may create, in bytes.
    static let maxBytes = 10_000_000

    /// Returns a number as JavaScript writes it (ECMA-262 §6.1.6.1.20).
    static func text(of number: Double) -> String {
        guard !number.isNaN else { return "NaN" }
        guard number.isFinite else { return number < 0 ? "-Infinity" : "Infinity" }
        guard number != 0 else { return "0" }
        if let integer = Int64(exactly: number), integer.magnitude < 1 << 53 { return String(integer) }
        let sign = number < 0 ? "-" : ""
        let (digits, point) = decimal(of: number.magnitude)
        let count = digits.utf8.count
        switch point {
        case count...21 where point >= count: return sign + digits + String(repeating: "0", count: point - count)
        case 1...21: return sign + digits.prefix(point) + "." + digits.dropFirst(point)
        case -5...0: return sign + "0." + String(repeating: "0", count: -point) + digits
        default:
            let exponent = point - 1
            let fraction = count > 1 ? "." + digits.dropFirst() : ""
            return sign + digits.prefix(1) + fraction + "e" + (exponent < 0 ? "-" : "+") + String(exponent.magnitude)
        }
    }

    /// Returns the shortest digits of a number, and the number of digits before the point.
    private static func decimal(of number: Double) -> (digits: String, point: Int) {
        let parts = number.description.split(separator: "e")
        let halves = parts[0].split(separator: ".")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let (whole, fraction) = (halves[0], halves.count > 1 && halves[1] != "0" ? halves[1] : "")
        var digits = whole + fraction
        var point = whole.count + exponent
        while digits.count > 1, digits.first == "0" {
            digits.removeFirst()
            point -= 1
        }
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        return (String(digits), point)
    }

    /// Returns the offset of the first occurrence of a string in another one, from an offset on; in bytes.
    ///
    /// - Parameter budget: The number of bytes that may still be compared; it is below zero if they did not suffice.
    private static func offset(
        of part: Span<UInt8>, in whole: Span<UInt8>, from start: Int, budget: inout Int
    ) -> Int? {
        guard part.count > 0, part.count <= whole.count else { return part.count == 0 ? start : nil }
        var offset = start
        let (first, last) = (part[0], whole.count - part.count)
        while offset <= last, budget >= 0 {
            if whole[offset] == first {
                budget -= part.count
                if matches(part, whole, at: offset) { return offset }
            }
            offset += 1
        }
        return nil
    }

    private static func matches(_ part: Span<UInt8>, _ whole: Span<UInt8>, at offset: Int) -> Bool {
        for index in part.indices where whole[offset + index] != part[index] { return false }
        return true
    }

    /// Whether two strings have the same bytes.
    static func areSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (one.utf8.span, other.utf8.span)
        return one.count == other.count && matches(one, other, at: 0)
    }

    static func hasPrefix(_ part: String, _ whole: String) -> Bool {
        let (part, whole) = (part.utf8.span, whole.utf8.span)
        return part.count <= whole.count && matches(part, whole, at: 0)
    }

    static func hasSuffix(_ part: String, _ whole: String) -> Bool {
        let (part, whole) = (part.utf8.span, whole.utf8.span)
        return part.count <= whole.count && matches(part, whole, at: whole.count - part.count)
    }

    static func contains(_ part: String, _ whole: String, budget: inout Int) -> Bool {
        offset(of: part.utf8.span, in: whole.utf8.span, from: 0, budget: &budget) != nil
    }

    /// Returns the string with each occurrence of a substring replaced; nil if the result is too long. The empty string
    /// never occurs.
    static func replacing(
        _ part: String, by replacement: String, in whole: String, budget: inout Int
    ) -> String? {
        guard !part.isEmpty else { return whole }
        var (bytes, start): ([UInt8], Int) = ([], 0)
        let (source, piece, filling) = (whole.utf8.span, part.utf8.span, replacement.utf8.span)
        while let offset = offset(of: piece, in: source, from: start, budget: &budget) {
            bytes.append(source.extracting(start..<offset))
            bytes.append(filling)
            start = offset + piece.count
            guard bytes.count <= maxBytes else { return nil }
        }
        bytes.append(source.extracting(start..<source.count))
        return bytes.count <= maxBytes ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether a string is ordered before another one: by UTF-16 code units, as in JavaScript.
    static func precedes(_ one: String, _ other: String) -> Bool { one.utf16.lexicographicallyPrecedes(other.utf16) }
}
