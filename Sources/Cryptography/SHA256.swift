import CSHA256
import CSystemCrypto

/// Returns the SHA-256 of bytes in memory, as 64 lower-case hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
}

/// An incremental SHA-256 (FIPS 180-4).
///
/// libcrypto computes it, except if the state must be saved and continued by another process. libcrypto cannot do that,
/// so the implementation here is used; it takes twice as long if the processor has no instructions for SHA-256.
///
/// `@unchecked Sendable`: libcrypto's context has one owner, this value, which cannot be copied.
package struct SHA256: ~Copyable, @unchecked Sendable {
    private static let byteCount = 32

    /// libcrypto's context; nil if the implementation here is used.
    private let context: OpaquePointer?
    private var run = csha256_run()

    package init() {
        let context = EVP_MD_CTX_new()
        if EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 {
            self.context = context
        } else {
            // This libcrypto does not support SHA-256.
            EVP_MD_CTX_free(context)
            self.context = nil
            csha256_begin(&run)
        }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if let context {
            EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        } else {
            csha256_update(&run, bytes.baseAddress, bytes.count)
        }
    }

    /// Finishes the computation, and returns the digest as 64 lower-case hexadecimal digits.
    package mutating func finish() -> String {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        if let context {
            EVP_DigestFinal_ex(context, &digest, nil)
        } else {
            csha256_end(&run, &digest)
        }
        return Hex.encode(digest)
    }
}

// MARK: - Saved state

extension SHA256 {
    /// The size of a block, in bytes (FIPS 180-4 §5.2.1).
    private static let blockByteCount = 64

    /// The saved state before the first byte.
    package static let startState: String = {
        var run = csha256_run()
        csha256_begin(&run)
        return text(of: run)
    }()

    /// The state as hexadecimal digits: the eight words of the hash value after the last full block, then the bytes of
    /// the block that is not full yet. The caller must save the number of bytes.
    ///
    /// Nil if the computation was started by ``init()`` and not by ``init(state:after:)``.
    package var state: String? { context == nil ? Self.text(of: run) : nil }

    private static func text(of run: csha256_run) -> String {
        let words = withUnsafeBytes(of: run.words) { $0.bindMemory(to: UInt32.self).map(\.bigEndian) }
        let hashValue = words.withUnsafeBytes { Hex.encode($0) }
        let filled = Int(run.byte_count % UInt64(blockByteCount))
        return withUnsafeBytes(of: run.block) { hashValue + Hex.encode($0.prefix(filled)) }
    }

    /// Continues from a saved state, or from ``startState``.
    ///
    /// - Parameter passed: The number of bytes before the state was saved.
    /// - Returns: Nil if the text is not a state after that number of bytes.
    package init?(state text: String, after passed: Int) {
        guard passed >= 0, let bytes = Hex.decode(text), bytes.count == Self.byteCount + passed % Self.blockByteCount
        else { return nil }
        context = nil
        withUnsafeMutableBytes(of: &run.words) { words in
            words.copyBytes(from: bytes.prefix(Self.byteCount))
            let words = words.bindMemory(to: UInt32.self)
            for index in words.indices { words[index] = UInt32(bigEndian: words[index]) }
        }
        withUnsafeMutableBytes(of: &run.block) { $0.copyBytes(from: bytes.dropFirst(Self.byteCount)) }
        run.byte_count = UInt64(passed)
    }
}
