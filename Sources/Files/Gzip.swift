import CSystemDeflate

/// The gzip format (RFC 1952), implemented with libdeflate, for bytes in memory.
package enum Gzip {
    /// The compression level, out of 12. Some kilobytes of text take tens of microseconds.
    private static let level: Int32 = 6

    /// Compresses bytes to one gzip member in a buffer.
    ///
    /// - Returns: The number of bytes that were written; nil if there is not enough memory, or the buffer is too small.
    package static func compress(
        _ plain: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, level: Int32 = level
    ) -> Int? {
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        let count = libdeflate_gzip_compress(
            compressor, plain.baseAddress, plain.count, room.baseAddress, room.count)
        return count > 0 ? count : nil
    }

    /// Compresses bytes to one gzip member, quickly; nil if there is not enough memory.
    package static func compress(_ plain: [UInt8]) -> [UInt8]? {
        // Data that cannot be compressed grow by some bytes per block.
        let room = plain.count + plain.count / 1000 + 1024
        let compressed = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            count = plain.withUnsafeBytes { compress($0, into: UnsafeMutableRawBufferPointer(buffer), level: 1) } ?? 0
        }
        return compressed.isEmpty ? nil : compressed
    }

    /// The size of a member's trailer, in bytes: the CRC-32 and the length of the content.
    package static let endBytes = 8

    /// Whether the trailer of a member matches these bytes.
    package static func isEnd(_ end: [UInt8], of plain: [UInt8]) -> Bool {
        let crc = plain.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        let length = UInt32(truncatingIfNeeded: plain.count)
        return end == [crc, length].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// Decompresses one gzip member; nil if it is damaged, or its content has more than `maxBytes`.
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
