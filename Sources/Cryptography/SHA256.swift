import CSHA256
import CSystemCrypto

/// The SHA-256 of bytes in memory, 64 lower-case hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
}

/// A running SHA-256 (FIPS 180-4) of bytes as they pass.
///
/// libcrypto does it, but for a run that can be written down and gone on with by another process: that is our own, as libcrypto
/// has none, and where the processor has no instructions for SHA-256 it takes twice as long.
///
/// `@unchecked Sendable`: libcrypto's context has one owner, this value, which cannot be copied; whoever holds it has it alone.
package struct SHA256: ~Copyable, @unchecked Sendable {
    private static let byteCount = 32

    /// libcrypto's run; nil for one of our own.
    private let context: OpaquePointer?
    private var run = csha256_run()

    package init() {
        let context = EVP_MD_CTX_new()
        if EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 {
            self.context = context
        } else {
            // A libcrypto that cannot do it.
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

    /// The digest as 64 lower-case hexadecimal digits. Ends the run.
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

// MARK: - As it is written down

extension SHA256 {
    /// Bytes in a block (FIPS 180-4 §5.2.1).
    private static let blockByteCount = 64

    /// The written form of a run without bytes.
    package static let startState: String = {
        var run = csha256_run()
        csha256_begin(&run)
        return text(of: run)
    }()

    /// The run as hexadecimal digits: the eight words of the hash value between two blocks, then the bytes of the block that is
    /// not full yet. The number of bytes that have passed is for the caller to keep.
    ///
    /// Nil for a run that began by ``init()`` and not by ``init(state:after:)``.
    package var state: String? { context == nil ? Self.text(of: run) : nil }

    private static func text(of run: csha256_run) -> String {
        let words = withUnsafeBytes(of: run.words) { $0.bindMemory(to: UInt32.self).map(\.bigEndian) }
        let hashValue = words.withUnsafeBytes { Hex.encode($0) }
        let filled = Int(run.byte_count % UInt64(blockByteCount))
        return withUnsafeBytes(of: run.block) { hashValue + Hex.encode($0.prefix(filled)) }
    }

    /// Goes on with a run that was written down, or begins one that can be, from ``startState``.
    ///
    /// - Parameter passed: The number of bytes that had passed.
    /// - Returns: Nil when the text is no state after so many bytes.
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
