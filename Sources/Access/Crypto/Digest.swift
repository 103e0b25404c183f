import CSystemCrypto

/// Digests and comparisons of short texts, by libcrypto.
package enum Digest {
    /// The SHA-256 (FIPS 180-4) of a text in UTF-8, 32 bytes.
    package static func sha256(_ text: String) -> [UInt8] { sha256(Array(text.utf8)) }

    /// The SHA-256 (FIPS 180-4) of bytes, 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }

    /// The HMAC-SHA256 (RFC 2104) of bytes, 32 bytes.
    package static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &code, nil)
        return code
    }

    /// Whether two runs of bytes are equal; takes a time that tells nothing of where the two differ.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
