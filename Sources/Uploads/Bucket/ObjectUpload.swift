import API
import Files
package import Imaging
package import NIOCore
import Synchronization

/// The bytes of an object while they come: on disk under a temporary name, with their checksums counted.
package final class ObjectUpload: Sendable {
    /// Bytes that are whole and durable, and have no name yet.
    package struct Contents: Sendable {
        package let byteCount: Int
        /// The format that the first bytes are of; nil where they are no photo's.
        package let format: ImageFormat?
        /// The file; nil where it has its name in the blob store already.
        let file: StagedFile?
        let sha256: String
        let md5: [UInt8]
        let crc32c: [UInt8]
    }

    private let file: StagedFile
    private let maxBytes: Int
    private let room: QuotaHold
    private let checksums = Mutex(ObjectChecksums())

    /// - Parameter maxBytes: The most that may come.
    /// - Parameter room: What holds room for the bytes.
    init(_ file: StagedFile, maxBytes: Int, holding room: QuotaHold) {
        self.file = file
        self.room = room
        self.maxBytes = maxBytes
    }

    /// How many bytes have come.
    package var byteCount: Int { file.byteCount }

    /// Takes the next bytes, which come in their order.
    ///
    /// - Throws: `Failure` `too_large_bytes` or `quota_exceeded`, `FileError` for what the disk says.
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

    /// Refuses an object that has more bytes than one may have.
    ///
    /// - Throws: `Failure` `too_large_bytes`.
    static func check(_ byteCount: Int, atMost limit: Int) throws(Failure) {
        guard byteCount <= limit else {
            throw Failure(
                .tooLarge, "the object has more than \(limit) bytes (\(limit >> 20) MiB)",
                hint: "send a smaller file, or raise max-bytes")
        }
    }
}
