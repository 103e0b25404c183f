import CSystemCrypto

/// The SHA-256 of bytes in memory, 64 lower-case hexadecimal digits.
package func sha256(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
}

/// A running SHA-256 (FIPS 180-4) of bytes as they pass, which can be written down and gone on with by another process.
package struct SHA256: ~Copyable, Sendable {
    private var run = SHA256_CTX()

    package init() { csystemcrypto_sha256_begin(&run) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        csystemcrypto_sha256_update(&run, bytes.baseAddress, bytes.count)
    }

    /// The digest as 64 lower-case hexadecimal digits. Ends the run.
    package mutating func finish() -> String {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        csystemcrypto_sha256_end(&run, &digest)
        return Hex.encode(digest)
    }

    private static let byteCount = 32
}

// MARK: - As it is written down

extension SHA256 {
    /// Bytes in a block (FIPS 180-4 §5.2.1).
    private static let blockByteCount = 64

    /// The run as hexadecimal digits: the eight words of the hash value between two blocks, then the bytes of the block that is
    /// not full yet. How many bytes have passed is for whoever keeps it to know.
    package var state: String {
        let words = withUnsafeBytes(of: run.h) { $0.bindMemory(to: UInt32.self).map(\.bigEndian) }
        let hashValue = words.withUnsafeBytes { Hex.encode($0) }
        return withUnsafeBytes(of: run.data) { hashValue + Hex.encode($0.prefix(Int(run.num))) }
    }

    /// Goes on with a run that was written down.
    ///
    /// - Parameter passed: How many bytes had passed.
    /// - Returns: Nil when the text is no state after so many bytes.
    package init?(state text: String, after passed: Int) {
        guard passed >= 0, let bytes = Hex.decode(text), bytes.count == Self.byteCount + passed % Self.blockByteCount
        else { return nil }
        self.init()
        withUnsafeMutableBytes(of: &run.h) { words in
            words.copyBytes(from: bytes.prefix(Self.byteCount))
            let words = words.bindMemory(to: UInt32.self)
            for index in words.indices { words[index] = UInt32(bigEndian: words[index]) }
        }
        withUnsafeMutableBytes(of: &run.data) { $0.copyBytes(from: bytes.dropFirst(Self.byteCount)) }
        run.num = UInt32(bytes.count - Self.byteCount)
        let bitCount = UInt64(passed) << 3
        run.Nl = UInt32(truncatingIfNeeded: bitCount)
        run.Nh = UInt32(truncatingIfNeeded: bitCount >> 32)
    }
}
