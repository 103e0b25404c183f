/// A normalised e-mail address: trimmed and in lower case.
///
/// Addresses are ASCII, so that addresses that look alike cannot belong to different accounts.
package struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The longest address, in characters (RFC 5321 §4.5.3.1.3, without the brackets).
    package static let maxLength = 254
    /// The longest part before the `@` (RFC 5321 §4.5.3.1.1).
    private static let maxLocalLength = 64

    package let description: String

    /// Parses an address from a request; nil if it is not valid.
    package init?(_ text: String) {
        guard text.utf8.count <= 4 * Self.maxLength else { return nil }
        let trimmed = text.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        guard trimmed.count <= Self.maxLength, trimmed.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let parts = trimmed.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...Self.maxLocalLength).contains(parts[0].count), Self.isDomain(parts[1]) else {
            return nil
        }
        let isPlain = parts[0].allSatisfy { !Array("\"(),:;<>[\\]".utf8).contains($0) }
        guard isPlain else { return nil }
        description = String(decoding: trimmed, as: UTF8.self).lowercased()
    }

    /// Whether the bytes are labels of letters, digits and hyphens, separated by dots.
    private static func isDomain(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
    }
}
