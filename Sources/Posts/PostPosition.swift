package import TreeModel

/// The place of a post in the order of publication: a position in the change log.
///
/// A post's id says when its upload was reserved; the position says when everybody could see it.
package struct PostPosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The position in the change log just after the commit with which the post appeared.
    package let sequence: UInt64
    /// The place among the posts of that commit, by their ids.
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

    /// The position as a key of the tree: hexadecimal digits of a fixed number, `000000000000002a-00000000`, so that the
    /// order of keys is the order of publication.
    package var key: TreeKey {
        TreeKey(unchecked: "\(Self.padded(sequence, to: Self.digits))-\(Self.padded(number, to: Self.numberDigits))")
    }

    /// Reads a key; nil when it is none of these.
    package init?(key: TreeKey) {
        let parts = key.string.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == Self.digits, parts[1].utf8.count == Self.numberDigits,
            let sequence = UInt64(parts[0], radix: 16), let number = UInt32(parts[1], radix: 16)
        else { return nil }
        self.sequence = sequence
        self.number = number
    }

    private static func padded(_ number: some BinaryInteger, to count: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    // MARK: As a cursor

    /// The position as the cursor of a page: `42`, or `42-3` for the fourth post of one commit.
    package var description: String { number == 0 ? "\(sequence)" : "\(sequence)-\(number)" }

    /// Reads a cursor; nil when it is none.
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
