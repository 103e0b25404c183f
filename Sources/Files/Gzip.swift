import CSystemDeflate

/// The gzip format (RFC 1952), by libdeflate, for bytes that fit into memory.
package enum Gzip {
    /// Of 12. Text of some kilobytes takes tens of microseconds.
    private static let level: Int32 = 6

    /// Writes the bytes as one gzip member.
    ///
    /// - Returns: How many bytes were written; nil when there is no memory, or no room.
    package static func compress(
        _ plain: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, level: Int32 = level
    ) -> Int? {
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        let count = libdeflate_gzip_compress(
            compressor, plain.baseAddress, plain.count, room.baseAddress, room.count)
        return count > 0 ? count : nil
    }

    /// The bytes as one gzip member, quickly; nil when there is no memory.
    package static func compress(_ plain: [UInt8]) -> [UInt8]? {
        // What cannot be made smaller grows by some bytes a block.
        let room = plain.count + plain.count / 1000 + 1024
        let compressed = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count = plain.withUnsafeBytes { compress($0, into: UnsafeMutableRawBufferPointer(buffer), level: 1) } ?? 0
        }
        return compressed.isEmpty ? nil : compressed
    }

    /// The number of bytes at the end of a member that tell of its content: the CRC-32 and the length.
    package static let endBytes = 8

    /// Whether a member with this end is one of these bytes, as far as the end tells.
    package static func isEnd(_ end: [UInt8], of plain: [UInt8]) -> Bool {
        let crc = plain.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        let length = UInt32(truncatingIfNeeded: plain.count)
        return end == [crc, length].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// The bytes of one gzip member; nil when it is damaged, or has more than `maxBytes`.
    package static func decompress(_ compressed: [UInt8], maxBytes: Int) -> [UInt8]? {
        guard compressed.count >= 18, let decompressor = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        // The last four bytes are the length.
        let byteCount = compressed.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard byteCount <= maxBytes else { return nil }
        var isWhole = false
        let plain = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            let result = compressed.withUnsafeBytes {
                libdeflate_gzip_decompress(
                    decompressor, $0.baseAddress, $0.count, buffer.baseAddress, buffer.count, nil)
            }
            isWhole = result == LIBDEFLATE_SUCCESS
            count = isWhole ? byteCount : 0
        }
        return isWhole ? plain : nil
    }
}
