/// A unique key that sorts by its creation time: 20 characters, 48 bits of milliseconds and 72 random bits.
///
/// The format of Realtime Database clients' `push()`: base 64 over an alphabet in ASCII order, so that the order of the
/// text is the order of time ("The 2^120 Ways to Ensure Unique Identifiers", Firebase blog, 2015).
public struct PushID: Hashable, Sendable {
    /// The number of characters.
    public static let length = 20
    static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    package static let maxTimestamp = Timestamp(milliseconds: 1 << 48 - 1)

    /// The id as text.
    public let string: String

    /// Checks an external id; nil if it does not have 20 characters of the alphabet.
    public init?(_ string: String) {
        guard string.utf8.count == Self.length, string.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        self.string = string
    }

    /// Creates an id from a time and twelve digits below 64.
    init(timestamp: Timestamp, randomDigits: [UInt8]) {
        let timeDigits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: timestamp.milliseconds >> (6 * $0)) }
        string = String(
            decoding: (timeDigits + randomDigits).map { Self.alphabet[Int($0 & 63)] }, as: UTF8.self)
    }

    /// Returns the smallest id of a time.
    package static func first(at timestamp: Timestamp) -> PushID {
        let time = min(max(.epoch, timestamp), maxTimestamp)
        return PushID(timestamp: time, randomDigits: Array(repeating: 0, count: length - 8))
    }

    /// The creation time of the id, in milliseconds since 1970, by the clock of its creator.
    public var timestamp: Timestamp {
        Timestamp(milliseconds: digits.prefix(8).reduce(0) { $0 << 6 | Int64($1) })
    }

    /// The twenty digits of the id, each below 64: eight for the time and twelve random ones.
    var digits: [UInt8] { string.utf8.map { UInt8(Self.alphabet.firstIndex(of: $0) ?? 0) } }

    /// The id as a key of the tree.
    public var key: TreeKey { TreeKey(unchecked: string) }
}

extension PushID: Comparable, CustomStringConvertible {
    /// Whether the left id was created earlier.
    public static func < (left: PushID, right: PushID) -> Bool { left.string < right.string }

    /// The id as text.
    public var description: String { string }
}
