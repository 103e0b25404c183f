import API
import Files
package import Imaging
package import NIOCore
import Synchronization

/// The bytes of an object while they arrive: on disk under a temporary name, with running checksums.
package final class ObjectUpload: Sendable {
    /// The complete and durable bytes, which have no name yet.
    package struct Contents: Sendable {
        package let byteCount: Int
        /// The image format of the first bytes; nil if they are not a photo.
        package let format: ImageFormat?
        /// The file; nil if it already has its name in the blob store.
        let file: StagedFile?
        let sha256: String
        let md5: [UInt8]
        let crc32c: [UInt8]
    }

    private let file: StagedFile
    private let maxBytes: Int
    private let room: QuotaHold
    private let checksums = Mutex(ObjectChecksums())

    /// - Parameter maxBytes: The largest number of bytes.
    /// - Parameter room: The quota hold for the bytes.
    init(_ file: StagedFile, maxBytes: Int, holding room: QuotaHold) {
        self.file = file
        self.room = room
        self.maxBytes = maxBytes
    }

    /// The number of bytes received.
    package var byteCount: Int { file.byteCount }

    /// Appends the next bytes.
    ///
    /// - Throws: `Failure` `too_large_bytes` or `quota_exceeded`, `FileError` for errors of the disk.
    package func write(_ buffer: ByteBuffer) async throws {
        try Self.check(file.byteCount + buffer.readableBytes, atMost: maxBytes)
        try await room.take(buffer.readableBytes)
        try await FileThreads.run { [self] () throws in
            try buffer.withUnsafeReadableBytes { bytes in
                try file.write(bytes)
                checksums.withLock { $0.update(bytes) }
            }
        }
    }

    /// Makes the bytes durable. Call once, after the last write.
    package func finish() async throws -> Contents {
        try await FileThreads.run { [self] () throws in
            let contents = try file.finish()
            let (md5, crc32c) = checksums.withLock { $0.finish() }
            return Contents(
                byteCount: contents.byteCount, format: ImageFormat.detect(contents.head.span), file: file,
                sha256: contents.sha256, md5: md5, crc32c: crc32c)
        }
    }

    /// Checks that an object is not larger than the limit.
    ///
    /// - Throws: `Failure` `too_large_bytes`.
    static func check(_ byteCount: Int, atMost limit: Int) throws(Failure) {
        guard byteCount <= limit else {
            throw Failure(
                .tooLarge, "the object has more than \(limit) bytes (\(limit >> 20) MiB)",
                hint: "Send a smaller file, or raise max-bytes.")
        }
    }
}
