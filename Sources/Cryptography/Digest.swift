import CSystemCrypto

/// Digests and comparisons of short texts, implemented with libcrypto.
package enum Digest {
    /// The SHA-256 of libcrypto, fetched once, because that takes longer than hashing a token.
    ///
    /// `nonisolated(unsafe)` is right: an algorithm does not change after it was fetched, and is never freed.
    private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// Returns the SHA-256 (FIPS 180-4) of a text in UTF-8, 32 bytes.
    package static func sha256(_ text: String) -> [UInt8] { withUnsafeBytes(of: sha256Words(text)) { Array($0) } }

    /// Returns the SHA-256 (FIPS 180-4) of a text in UTF-8, as four numbers of eight bytes each, in their order in
    /// memory.
    package static func sha256Words(_ text: String) -> SIMD4<UInt64> {
        var text = text
        var digest = SIMD4<UInt64>()
        var isDone = false
        text.withUTF8 { bytes in
            withUnsafeMutableBytes(of: &digest) { digest in
                let start = digest.baseAddress?.assumingMemoryBound(to: UInt8.self)
                isDone = EVP_Digest(bytes.baseAddress, bytes.count, start, nil, algorithm, nil) == 1
            }
        }
        // If the digest fails, the result must not equal any other.
        return isDone ? digest : .random(in: 0 ... .max)
    }

    /// Returns the SHA-256 (FIPS 180-4) of bytes, 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil) == 1
        // If the digest fails, the result must not equal any other.
        return isDone ? digest : digest.map { _ in UInt8.random(in: 0...255) }
    }

    /// Returns the SHA-1 (FIPS 180-4) of a text in UTF-8, 20 bytes; for protocols that need it, not for security.
    package static func sha1(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        _ = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        return digest
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of bytes, 32 bytes.
    package static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &code, nil) != nil
        // If the code fails, the result must not equal any other.
        return isDone ? code : code.map { _ in UInt8.random(in: 0...255) }
    }

    /// Whether two byte arrays are equal. The time does not depend on where the two differ.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
