import Files
package import NIOCore

extension Gzip {
    /// Returns the bytes as a gzip member; nil if memory is short, or if they would not become fewer.
    package static func compress(_ bytes: ByteBuffer) -> ByteBuffer? {
        var compressed = ByteBufferAllocator().buffer(capacity: bytes.readableBytes)
        let count = bytes.withUnsafeReadableBytes { plain in
            compressed.withUnsafeMutableWritableBytes { compress(plain, into: $0) }
        }
        guard let count else { return nil }
        compressed.moveWriterIndex(forwardBy: count)
        return compressed
    }
}
