package import TreeModel

/// The position of a post in the order of publication: a position in the change log.
///
/// A post's id contains the time of the reservation; the position is the order in which posts became visible.
package struct PostPosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The position in the change log after the commit with which the post appeared.
    package let sequence: UInt64
    /// The number among the posts of that commit, in the order of their ids, from 0.
    package let number: UInt32

    package init(sequence: UInt64, number: Int = 0) {
        self.sequence = sequence
        self.number = UInt32(clamping: number)
    }

    package static func < (left: PostPosition, right: PostPosition) -> Bool {
        (left.sequence, left.number) < (right.sequence, right.number)
    }

    // MARK: As a key

    private static let digits = 16
    private static let numberDigits = 8

    /// The position as a key of the tree: hexadecimal digits of a fixed number, `000000000000002a-00000000`, so that
    /// the order of keys is the order of publication.
    package var key: TreeKey {
        TreeKey(unchecked: "\(Self.padded(sequence, to: Self.digits))-\(Self.padded(number, to: Self.numberDigits))")
    }

    /// Reads a key; nil if it is not a position.
    package init?(key: TreeKey) { self.init(digits: key.string.utf8) }

    /// Reads the text of a key; nil if it is not a position.
    init?(digits text: some BidirectionalCollection<UInt8>) {
        guard text.count == Self.digits + 1 + Self.numberDigits,
            text.dropFirst(Self.digits).first == UInt8(ascii: "-"),
            let sequence = Self.value(of: text.prefix(Self.digits)),
            let number = Self.value(of: text.suffix(Self.numberDigits))
        else { return nil }
        self.sequence = sequence
        self.number = UInt32(truncatingIfNeeded: number)
    }

    /// Returns the number that hexadecimal digits in lower case represent; nil for anything else.
    private static func value(of digits: some Collection<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for byte in digits {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }

    private static func padded(_ number: some BinaryInteger, to count: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    // MARK: As a cursor

    /// The position as the cursor of a page: `42`, or `42-3` for the fourth post of one commit.
    package var description: String { number == 0 ? "\(sequence)" : "\(sequence)-\(number)" }

    /// Reads a cursor; nil if it is invalid.
    package init?(cursor: String) {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
            let sequence = UInt64(parts[0]), let number = parts.count == 1 ? 0 : UInt32(parts[1])
        else { return nil }
        self.sequence = sequence
        self.number = number
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
