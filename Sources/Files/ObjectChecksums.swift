import CSystemCrypto

/// The two checksums by which clients of a bucket compare objects, computed as the bytes pass: MD5 (RFC 1321), and
/// CRC-32C, which uses the Castagnoli polynomial (RFC 3720 §12.1).
///
/// They detect accidental damage only; where security matters, SHA-256 is used.
///
/// `@unchecked Sendable`: the context has one owner, this value, which cannot be copied.
package struct ObjectChecksums: ~Copyable, @unchecked Sendable {
    private let md5: OpaquePointer?
    private var crc = CRC32C()

    package init() {
        md5 = EVP_MD_CTX_new()
        EVP_DigestInit_ex(md5, EVP_md5(), nil)
    }

    deinit { EVP_MD_CTX_free(md5) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(md5, bytes.baseAddress, bytes.count)
        crc.update(bytes)
    }

    /// Finishes the computation, and returns the digests: 16 bytes, and 4 with the most significant one first.
    package mutating func finish() -> (md5: [UInt8], crc32c: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 16)
        EVP_DigestFinal_ex(md5, &digest, nil)
        return (digest, withUnsafeBytes(of: crc.value.bigEndian) { Array($0) })
    }
}

/// A running CRC-32C, eight bytes at a time by tables ("Slicing-by-8", Kounavis and Berry, 2005).
struct CRC32C {
    /// The polynomial 0x1EDC6F41 with its bits reversed.
    private static let polynomial: UInt32 = 0x82F6_3B78

    /// Eight tables of 256 entries, one after the other; table n has the effect of a byte that is followed by n bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    private var state = UInt32.max

    /// The checksum of the bytes so far.
    var value: UInt32 { ~state }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Self.tables.withUnsafeBufferPointer { tables in
            var offset = 0
            while offset + 8 <= bytes.count {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    ^ UInt64(state)
                state = 0
                for place in 0..<8 {
                    state ^= tables[(7 - place) * 256 + Int(word >> UInt64(8 * place) & 0xFF)]
                }
                offset += 8
            }
            for byte in bytes[offset...] { state = state >> 8 ^ tables[Int((state ^ UInt32(byte)) & 0xFF)] }
        }
        self.state = state
    }
}
