/// An encoding of bytes as text of 64 characters (RFC 4648 §5), without padding.
package struct Base64Text: Sendable {
    /// The encoding with the characters of base64url; see ``Base64URL``.
    package static let url = Base64Text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    /// The encoding with characters in the order of ASCII, as in push ids, so that the order of the texts is that of
    /// the bytes.
    package static let ordered = Base64Text("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")

    private let alphabet: [UInt8]
    /// The value of each character; 255 for characters that are not used.
    private let values: [UInt8]

    private init(_ characters: StaticString) {
        alphabet = Array(characters.description.utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }

    /// Encodes bytes.
    package func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var buffer: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(buffer >> UInt32(bitCount) & 0x3F)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bitCount) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; nil for padding, other characters, and any spelling that ``encode(_:)`` does not produce.
    package func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var buffer: UInt32 = 0
        var bitCount = 0
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bitCount)))
        }
        // The remaining bits must be zero, or several texts would stand for the same bytes.
        guard buffer & (1 << UInt32(bitCount) - 1) == 0 else { return nil }
        return bytes
    }
}
