package import API
package import Files
import Imaging
import Model
import NIOCore
package import Store
import Synchronization
import Tree

/// Stores the bytes of photos as originals: they are written to disk and hashed with SHA-256 as they arrive, and get
/// their name in the blob store once complete.
package final class PhotoIngester: Sendable {
    private let blobs: any BlobStore
    private let incoming: Directory
    private let settings: SharedSettings
    private let disk: DiskMonitor
    private let metrics: UploadMetrics
    private let partCount = Atomic(0)

    package init(_ storage: StorageFolder, settings: SharedSettings, disk: DiskMonitor, metrics: UploadMetrics) {
        self.metrics = metrics
        blobs = storage.blobs
        incoming = storage.incoming
        self.settings = settings
        self.disk = disk
    }

    /// Receives a photo whose bytes arrive in pieces.
    ///
    /// - Parameters:
    ///   - number: The photo's index in its upload, which is part of the blob's name.
    ///   - name: The sender's name of the photo.
    ///   - room: The quota hold for the bytes.
    ///   - next: Returns the next piece, or nil at the end.
    /// - Returns: The photo, durable in the blob store. A repeated call after a crash is harmless.
    /// - Throws: `Failure`: `too_large_bytes`, `quota_exceeded`, `empty`, or the refusal of bytes that are not a photo;
    ///   errors of `next`.
    func receive(
        as number: Int, named name: String, of record: UploadRecord, holding room: QuotaHold,
        _ next: () async throws -> ByteBuffer?
    ) async throws -> UploadRecord.Photo {
        try await metrics.take(.ingest) {
            let staged = try await stage(record.id)
            while let buffer = try await next() {
                try checkSize(staged.byteCount + buffer.readableBytes)
                try await room.take(buffer.readableBytes)
                try await FileThreads.run { try buffer.withUnsafeReadableBytes { try staged.write($0) } }
            }
            return try await publish(staged, as: number, named: name, of: record)
        }
    }

    /// Moves a complete photo to the blob store, however it has arrived.
    ///
    /// - Throws: `Failure`: `empty`, or the refusal of bytes that are not a photo.
    func publish(
        _ staged: StagedFile, _ contents: StagedFile.Contents, as number: Int = 0, named name: String,
        of record: UploadRecord
    ) async throws -> UploadRecord.Photo {
        try await metrics.take(.ingest) { try await move(staged, contents, as: number, named: name, of: record) }
    }

    private func move(
        _ staged: StagedFile, _ contents: StagedFile.Contents, as number: Int, named name: String,
        of record: UploadRecord
    ) async throws -> UploadRecord.Photo {
        let format = try Self.format(of: contents, named: name)
        let photo = UploadRecord.Photo(
            fileName: "\(Self.stem(number)).\(format.fileExtension)", originalName: String(name.prefix(255)),
            byteCount: contents.byteCount, sha256: contents.sha256)
        try await blobs.put(staged, as: record.blobName(photo.fileName))
        metrics.countIngested(contents.byteCount)
        return photo
    }

    /// Returns the photo of an upload whose bytes were moved to the blob store before a crash, and not recorded; nil if
    /// they were not moved.
    func published(
        as number: Int = 0, named name: String, byteCount: Int, sha256: String, of record: UploadRecord
    ) async throws
        -> UploadRecord.Photo?
    {
        guard let fileName = try await original(number, of: record) else { return nil }
        return UploadRecord.Photo(
            fileName: fileName, originalName: String(name.prefix(255)), byteCount: byteCount, sha256: sha256)
    }

    /// Deletes an original that was moved to the blob store for a photo that does not belong to the upload, and its
    /// renditions, if any.
    func discard(_ number: Int, _ rendered: PhotoRecord?, of record: UploadRecord) async throws {
        var names = try await original(number, of: record).map { [$0] } ?? []
        names += rendered?.renditions.values.map(\.fileName) ?? []
        try await blobs.remove(try names.map { try record.blobName($0) })
    }

    /// Returns the file name of the original of the photo with a number, if it is in the blob store.
    private func original(_ number: Int, of record: UploadRecord) async throws -> String? {
        let names = try await blobs.fileNames(userID: record.owner.description, postID: record.id.description)
        return names.first { $0.hasPrefix("\(Self.stem(number)).") }
    }

    /// Returns the file name of the original of the photo with a number, without its extension.
    private static func stem(_ number: Int) -> String { number == 0 ? "original" : "original-\(number + 1)" }

    /// Copies a photo that is in a folder. The copy fails if the file changes between the first byte and the last.
    ///
    /// - Throws: `Failure` `changed_while_read`, a transient error, if a process has the file open for writing or has
    ///   written to it; the errors of ``receive(as:named:of:holding:_:)``.
    func copy(
        _ reader: FileReader, as number: Int, named name: String, of record: UploadRecord, holding room: QuotaHold
    ) async throws -> UploadRecord.Photo {
        try await metrics.take(.ingest) {
            try await room.take(try await FileThreads.run { () throws(FileError) in try reader.byteCount() })
            let staged = try await stage(record.id)
            try await write(reader, named: name, to: staged)
            return try await publish(staged, as: number, named: name, of: record)
        }
    }

    /// Copies a file that must not change meanwhile.
    private func write(_ reader: FileReader, named name: String, to staged: StagedFile) async throws {
        try await FileThreads.run { [self] in
            let version = try reader.version()
            guard reader.hasWriter != true else { throw Failure.changedWhileRead(name) }
            while true {
                let bytes = try reader.read(at: staged.byteCount, maxBytes: 1 << 20)
                if bytes.isEmpty { break }
                try checkSize(staged.byteCount + bytes.count, of: name)
                try bytes.withUnsafeBytes { try staged.write($0) }
            }
            // A process that wrote meanwhile is still a writer, or has changed the version.
            guard reader.hasWriter != true, try reader.version() == version else {
                throw Failure.changedWhileRead(name)
            }
        }
    }

    /// Checks that a photo is not larger than the limit.
    ///
    /// - Throws: `Failure` `too_large_bytes`.
    package func checkSize(_ byteCount: Int, of name: String = "the photo") throws(Failure) {
        let limit = settings.value.limits.maxInputBytes
        guard byteCount <= limit else {
            throw Failure(
                .tooLarge, "\(name) has more than \(limit) bytes (\(limit >> 20) MiB)",
                hint: "Send a smaller file, or raise max-bytes.")
        }
    }

    /// Creates a file in `incoming/`.
    func stage(_ id: PostID) async throws -> StagedFile {
        // The name is unique while this process runs; files left by a process are swept at the next start.
        let name = "\(id).\(partCount.add(1, ordering: .relaxed).newValue).part"
        let make = { @Sendable [incoming] () throws(FileError) in try StagedFile(in: incoming, name: name) }
        do throws(FileError) {
            return try await FileThreads.run(make)
        } catch {
            guard error.code == .folderVanished else { throw error }
            // If the error can be repaired, the monitor does so now.
            _ = await disk.report()
            return try await FileThreads.run(make)
        }
    }

    private func publish(
        _ staged: StagedFile, as number: Int, named name: String, of record: UploadRecord
    ) async throws -> UploadRecord.Photo {
        let contents = try await FileThreads.run { () throws(FileError) in try staged.finish() }
        return try await move(staged, contents, as: number, named: name, of: record)
    }

    private static func format(of contents: StagedFile.Contents, named name: String) throws -> ImageFormat {
        guard contents.byteCount > 0 else {
            throw Failure(.emptyFile, "\(name) is empty", hint: "Send the photo's bytes.")
        }
        if let format = ImageFormat.detect(contents.head.span) { return format }
        do {
            _ = try ImageHeader.read(contents.head.span)
        } catch {
            throw Failure(error, about: name)
        }
        throw Failure(.unsupportedFormat, "\(name) is not a photo that this service reads")
    }
}

extension Failure {
    /// Creates the error of a file that was written while it was ingested.
    package static func changedWhileRead(_ name: String) -> Failure {
        Failure(
            .changedWhileRead, "\(name) was being written while it was read",
            hint: "Wait: it is read again when no process writes it.", isTransient: true)
    }
}

extension UploadRecord {
    /// Returns the blob of this upload with a file name.
    package func blobName(_ fileName: String) throws(FileError) -> BlobName {
        try BlobName(userID: owner.description, postID: id.description, fileName: fileName)
    }

    /// The originals of the photos, in their order, without those that a rule has dropped.
    package var originals: [BlobName] {
        get throws(FileError) {
            try orderedPhotos.filter { $0.droppedAt == nil }.map { photo throws(FileError) in
                try blobName(photo.fileName)
            }
        }
    }
}
