/// A valid key: the name of one child in the tree.
///
/// Non-empty UTF-8 of at most ``maxBytes`` bytes, without `. $ # [ ] /`, control characters (0x00–0x1F) and 0x7F.
///
/// Keys are compared by their bytes, not by Swift's canonical equivalence: "é" in one scalar and "é" in two are
/// different keys. `<` is the protocol's key order (Realtime Database, `nameCompare` of its JavaScript client): keys
/// that are 32-bit integers come first, by number, and the shorter one first if the numbers are equal; then all others
/// by UTF-16 code units.
public struct TreeKey: Sendable {
    /// The longest key, in bytes of UTF-8.
    public static let maxBytes = 768

    /// The key as text.
    public let string: String

    /// Checks an external key.
    ///
    /// - Throws: ``TreeError`` with code `invalid_key`.
    public init(_ string: String) throws(TreeError) {
        if let complaint = Self.complaint(about: string.utf8.span) { throw Self.invalid(complaint) }
        self.string = string
    }

    package init(unchecked string: String) { self.string = string }

    /// Returns a description of the error in a key; nil for a valid key.
    package static func complaint(about utf8: Span<UInt8>) -> String? {
        guard !utf8.isEmpty else { return "the key is empty" }
        guard utf8.count <= maxBytes else { return "the key has \(utf8.count) bytes; the limit is \(maxBytes)" }
        for index in utf8.indices where isForbidden(utf8[index]) {
            let bad = utf8[index]
            return bad < 0x20 || bad == 0x7F
                ? "the key has the control character \(bad)"
                : "the key \"\(utf8.text)\" has the character \"\(Character(UnicodeScalar(bad)))\""
        }
        return nil
    }

    package static func invalid(_ complaint: String) -> TreeError {
        TreeError(
            .invalidKey, complaint, hint: "Use 1 to \(maxBytes) bytes without . $ # [ ] / and control characters.")
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x1F, 0x7F: true
        case UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"): true
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "/"): true
        default: false
        }
    }

    /// The number of this key in the key order, if it is a 32-bit signed integer.
    ///
    /// The protocol's pattern is `^-?0*\d{1,10}$`: leading zeros and "-0" are integers too.
    var integer: Int32? { Self.integer(of: string.utf8.span) }

    package static func integer(of utf8: Span<UInt8>) -> Int32? {
        guard !utf8.isEmpty else { return nil }
        let isNegative = utf8[0] == UInt8(ascii: "-")
        guard utf8.count > (isNegative ? 1 : 0) else { return nil }
        var magnitude: Int64 = 0
        for index in (isNegative ? 1 : 0)..<utf8.count {
            let byte = utf8[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            magnitude = magnitude * 10 + Int64(byte - UInt8(ascii: "0"))
            guard magnitude <= 1 << 31 else { return nil }
        }
        return Int32(exactly: isNegative ? -magnitude : magnitude)
    }
}

extension TreeKey: Hashable, Comparable, CustomStringConvertible {
    /// Whether both keys have the same bytes.
    public static func == (left: TreeKey, right: TreeKey) -> Bool { left.string.hasSameBytes(as: right.string) }

    /// Feeds the key to a hasher.
    ///
    /// Swift hashes canonically equivalent strings alike, so equal bytes have equal hashes.
    public func hash(into hasher: inout Hasher) { hasher.combine(string) }

    /// Whether the left key precedes the right one in the protocol's key order.
    public static func < (left: TreeKey, right: TreeKey) -> Bool {
        switch (left.integer, right.integer) {
        case (let a?, let b?): (a, left.string.utf8.count, left.string) < (b, right.string.utf8.count, right.string)
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.string.utf16.lexicographicallyPrecedes(right.string.utf16)
        }
    }

    /// The key as text.
    public var description: String { string }
}

extension TreeKey: ExpressibleByStringLiteral {
    /// Creates a key from a string literal; an invalid key is a programming error and traps.
    public init(stringLiteral value: StaticString) {
        let string = value.description
        precondition(Self.complaint(about: string.utf8.span) == nil, "\"\(string)\" is not a valid key")
        self.init(unchecked: string)
    }
}

extension String {
    /// Whether both strings have the same UTF-8 bytes; `==` would also treat the two forms of "é" as equal.
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
