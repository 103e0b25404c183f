import CSystemCrypto

/// The SHA-256 of bytes in memory, 64 lower-case hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
}

/// A running SHA-256 (FIPS 180-4) of bytes as they pass.
///
/// `@unchecked Sendable`: the context has one owner, this value, which cannot be copied; whoever holds it has it alone.
package struct SHA256: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer?

    package init() {
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest as 64 lower-case hexadecimal digits. Ends the run.
    package mutating func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest.map { byte in
            let hex = String(byte, radix: 16)
            return byte < 16 ? "0" + hex : hex
        }.joined()
    }
}
