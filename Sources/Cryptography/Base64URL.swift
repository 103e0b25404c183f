/// Bytes as text that may stand in an address (RFC 4648 §5), without padding.
package enum Base64URL {
    /// The text of bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String { Base64Text.url.encode(bytes) }

    /// The bytes that a text stands for; see ``Base64Text/decode(_:)``.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { Base64Text.url.decode(text) }
}
