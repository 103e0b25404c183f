import CSystemCrypto

/// Unguessable text for tokens, codes and ids.
package enum RandomText {
    /// Returns `count` random bytes in base64url, four characters for three bytes.
    ///
    /// - Throws: ``KeyError`` if the system has no randomness.
    package static func make(bytes count: Int = 32) throws(KeyError) -> String {
        Base64URL.encode(try self.bytes(count))
    }

    /// Returns random bytes from libcrypto's generator.
    ///
    /// - Throws: ``KeyError`` if the system has no randomness.
    package static func bytes(_ count: Int) throws(KeyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(count, 0))
        guard RAND_bytes(&bytes, Int32(clamping: bytes.count)) == 1 else {
            throw KeyError("the system has no random bytes")
        }
        return bytes
    }
}
