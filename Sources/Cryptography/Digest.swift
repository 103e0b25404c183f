import CSystemCrypto

/// Digests and comparisons of short texts, by libcrypto.
package enum Digest {
    /// SHA-256 as libcrypto does it, looked up once, for that takes longer than to hash a token.
    ///
    /// `nonisolated(unsafe)` is right: an algorithm that was fetched does not change, and is never freed.
    private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    /// The SHA-256 (FIPS 180-4) of a text in UTF-8, 32 bytes.
    package static func sha256(_ text: String) -> [UInt8] { withUnsafeBytes(of: sha256Words(text)) { Array($0) } }

    /// The SHA-256 (FIPS 180-4) of a text in UTF-8, eight bytes in each number as they lie in memory.
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
        // Nothing is equal to a digest that could not be had.
        return isDone ? digest : .random(in: 0 ... .max)
    }

    /// The SHA-1 (FIPS 180-4) of a text in UTF-8, 20 bytes: for protocols that want it, and not to prove anything.
    package static func sha1(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        _ = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        return digest
    }

    /// The HMAC-SHA256 (RFC 2104) of bytes, 32 bytes.
    package static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &code, nil) != nil
        // Nothing is equal to a code that could not be had.
        return isDone ? code : code.map { _ in UInt8.random(in: 0...255) }
    }

    /// Whether two runs of bytes are equal; takes a time that tells nothing of where the two differ.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
