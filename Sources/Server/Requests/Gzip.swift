import CSystemDeflate
import NIOCore

/// The gzip format (RFC 1952), by libdeflate.
enum Gzip {
    /// Of 12. Text of some kilobytes takes tens of microseconds.
    private static let level: Int32 = 6

    /// The bytes as one gzip member; nil when there is no memory, or when they would not become fewer.
    static func compress(_ bytes: ByteBuffer) -> ByteBuffer? {
        guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        var compressed = ByteBufferAllocator().buffer(capacity: bytes.readableBytes)
        let count = bytes.withUnsafeReadableBytes { plain in
            compressed.withUnsafeMutableWritableBytes { room in
                // 0 when there is not room enough.
                libdeflate_gzip_compress(compressor, plain.baseAddress, plain.count, room.baseAddress, room.count)
            }
        }
        guard count > 0 else { return nil }
        compressed.moveWriterIndex(forwardBy: count)
        return compressed
    }
}
