import CSystemDeflate

/// The checksum of a row, compared when it is read: the CRC-32 (RFC 1952) of its key and its value.
///
/// SQLite notices when the structure of a page is damaged, not when the bytes of a row in it are. The key is part of
/// it, so that a value under the key of another one is found as well.
enum RowChecksum {
    static func of(key: Span<UInt8>, value: Span<UInt8>) -> Int32 {
        Int32(bitPattern: crc(of: value, after: crc(of: key, after: 0)))
    }

    /// - Parameter stored: What was stored with the row; nil for rows of a time that knew no checksums.
    /// - Throws: ``TreeError`` with code `corrupt`, and the ``DamagedRow``, when it is not what was written.
    static func check(_ stored: Int64?, key: Span<UInt8>, value: Span<UInt8>) throws(TreeError) {
        guard let stored, stored != Int64(of(key: key, value: value)) else { return }
        throw TreeError.damaged(
            "a row in the store is not what was written: its checksum is another", key: key.copied, value: value.copied)
    }

    private static func crc(of bytes: Span<UInt8>, after crc: UInt32) -> UInt32 {
        // Without bytes it would begin anew.
        bytes.isEmpty ? crc : bytes.withUnsafeBufferPointer { libdeflate_crc32(crc, $0.baseAddress, $0.count) }
    }
}
