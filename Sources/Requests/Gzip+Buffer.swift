import Files
package import NIOCore

extension Gzip {
    /// The bytes as one gzip member; nil when there is no memory, or when they would not become fewer.
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
