import CSystemDeflate

/// The checksum of a row, verified whenever it is read: the CRC-32 (RFC 1952) of its key and its value.
///
/// SQLite detects damage to the structure of a page, but not to the bytes of a row. The key is included, so that a
/// value stored under a wrong key is also detected.
enum RowChecksum {
    static func of(key: Span<UInt8>, value: Span<UInt8>) -> Int32 {
        Int32(bitPattern: crc(of: value, after: crc(of: key, after: 0)))
    }

    /// Verifies the checksum of a row.
    ///
    /// - Parameter stored: The checksum that is stored with the row; nil for rows written before checksums were
    ///   introduced.
    /// - Throws: ``TreeError`` with code `corrupt` and the ``DamagedRow`` if the checksum differs.
    static func check(_ stored: Int64?, key: Span<UInt8>, value: Span<UInt8>) throws(TreeError) {
        guard let stored, stored != Int64(of(key: key, value: value)) else { return }
        throw TreeError.damaged(
            "a row in the store is damaged: its checksum does not match", key: key.copied, value: value.copied)
    }

    private static func crc(of bytes: Span<UInt8>, after crc: UInt32) -> UInt32 {
        // A null pointer would restart the checksum.
        bytes.isEmpty ? crc : bytes.withUnsafeBufferPointer { libdeflate_crc32(crc, $0.baseAddress, $0.count) }
    }
}
