/// The encoding of bytes as text for URLs (RFC 4648 §5), without padding.
package enum Base64URL {
    /// Encodes bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String { Base64Text.url.encode(bytes) }

    /// Decodes a text; see ``Base64Text/decode(_:)``.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { Base64Text.url.decode(text) }
}
