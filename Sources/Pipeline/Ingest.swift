package import Blobs
import Imaging
package import NIOCore
import NIOPosix
package import Posts
import Synchronization
import Tree

extension UploadPipeline {
    /// Starts receiving a photo: bytes go to disk and through SHA-256 as they come.
    package func stage(_ id: PostID) async throws -> StagedFile {
        let (incoming, name) = (storage.incoming, partName(id))
        do {
            return try await onFileThread { try StagedFile(in: incoming, name: name) }
        } catch let error as BlobError where error.code == .folderVanished {
            // Where that can be made good, it is so in this moment.
            _ = await watch.report()
            return try await onFileThread { try StagedFile(in: incoming, name: name) }
        }
    }

    /// A name that no other file has while this process runs; what a process leaves is swept at the next start.
    private func partName(_ id: PostID) -> String {
        "\(id).\(partCount.add(1, ordering: .relaxed).newValue).part"
    }

    /// Appends to a staged file, refusing what goes beyond the limit for one photo.
    package func append(_ buffer: ByteBuffer, to staged: StagedFile) async throws {
        guard staged.byteCount + buffer.readableBytes <= settings.limits.maxInputBytes else {
            throw tooLarge()
        }
        try await onFileThread {
            try buffer.withUnsafeReadableBytes { try staged.write($0) }
        }
    }

    /// Puts the finished bytes into the blob store under the upload's number for them. Durable when it returns;
    /// repeating it after a crash is harmless.
    ///
    /// - Throws: `PipelineError`: `empty`, or the decoder's refusal of what is no photo at all.
    package func ingest(
        _ staged: StagedFile, as number: Int, originalName: String, of record: UploadRecord
    ) async throws -> UploadRecord.Photo {
        let blobs = storage.blobs
        return try await onFileThread {
            let contents = try staged.finish()
            let format = try Self.format(of: contents, named: originalName)
            let suffix = number == 0 ? "" : "-\(number + 1)"
            let photo = UploadRecord.Photo(
                fileName: "original\(suffix).\(format.fileExtension)", originalName: String(originalName.prefix(255)),
                byteCount: contents.byteCount, sha256: contents.sha256)
            try blobs.publish(staged, as: record.blobName(photo.fileName))
            return photo
        }
    }

    /// Ingests a file that lies in a folder, in one go: as it was before the first byte was read and after the last, or
    /// not at all.
    ///
    /// - Throws: `PipelineError` `changed_while_read`, a passing fault, when somebody has it open for writing, or wrote.
    package func ingest(
        _ reader: FileReader, as number: Int, originalName: String, of record: UploadRecord
    ) async throws -> UploadRecord.Photo {
        let (incoming, name) = (storage.incoming, partName(record.id))
        let limit = settings.limits.maxInputBytes
        let staged = try await onFileThread {
            let staged = try StagedFile(in: incoming, name: name)
            let version = try reader.version()
            guard reader.hasWriter != true else { throw Self.changedWhileRead(originalName) }
            while true {
                let bytes = try reader.read(at: staged.byteCount, maxBytes: 1 << 20)
                if bytes.isEmpty {
                    // Whoever came meanwhile shows as a writer, or has left a trace.
                    guard reader.hasWriter != true, try reader.version() == version else {
                        throw Self.changedWhileRead(originalName)
                    }
                    return staged
                }
                guard staged.byteCount + bytes.count <= limit else { throw self.tooLarge(originalName) }
                try bytes.withUnsafeBytes { try staged.write($0) }
            }
        }
        return try await ingest(staged, as: number, originalName: originalName, of: record)
    }

    /// Acknowledges a reservation: all its photos are ingested, the rest happens by itself. Durable when it returns.
    ///
    /// - Parameter failed: An upload of the same reference that failed; the reference means this one from now on.
    /// - Throws: `PipelineError`: `empty_post`, `bad_text`, `wrong_state` when the reservation expired or was taken meanwhile,
    ///   `key_reused` when another upload took the reference over.
    package func accept(
        _ id: PostID, photos: [UploadRecord.Photo], text: String, insteadOf failed: UploadRecord? = nil
    ) async throws {
        try await ingested(id, from: .reserved, insteadOf: failed) { record in
            record.photos = [:]
            for (number, var photo) in photos.enumerated() {
                photo.alt = try Self.checked(alt: photo.alt)
                record.photos[number] = photo
            }
            record.text = try Self.checked(text: text)
            if record.clientReference != nil { record.fingerprint = RequestFingerprint(of: record) }
        }
    }

    func ingested(
        _ id: PostID, from state: UploadState, insteadOf failed: UploadRecord? = nil,
        change: (inout UploadRecord) throws -> Void
    ) async throws {
        var owner: UserID?
        try await move(id, from: state, to: .ingested, insteadOf: failed) { record in
            try change(&record)
            owner = record.owner
            guard !record.photos.isEmpty || !record.text.isEmpty else {
                throw PipelineError(.emptyPost, "a post needs a photo or a text", hint: "send at least one of them")
            }
        }
        if let owner { queue.push(id, of: owner) }
    }

    private static func format(of contents: StagedFile.Contents, named name: String) throws -> ImageFormat {
        guard contents.byteCount > 0 else {
            throw PipelineError(.emptyFile, "\(name) is empty", hint: "send the photo's bytes")
        }
        if let format = ImageFormat.detect(contents.head.span) { return format }
        do {
            _ = try ImageHeader.read(contents.head.span)
        } catch {
            throw PipelineError(error, about: name)
        }
        throw PipelineError(.init(rawValue: "unsupported_format"), "\(name) is no photo that this service reads")
    }

    /// Somebody writes, or has written, what is to be ingested.
    package static func changedWhileRead(_ name: String) -> PipelineError {
        PipelineError(
            .changedWhileRead, "\(name) was being written while it was read", hint: "it is read again when it rests",
            isTransient: true)
    }

    package func tooLarge(_ name: String = "the photo") -> PipelineError {
        let limit = settings.limits.maxInputBytes
        return PipelineError(
            .tooLarge, "\(name) has more than \(limit) bytes (\(limit >> 20) MiB)",
            hint: "send a smaller file, or raise max-bytes")
    }

    /// Runs a blocking file operation where it may block.
    package func onFileThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await fileThreads.runIfActive(body)
    }
}

extension UploadRecord {
    /// The blob of this upload that has the file name.
    func blobName(_ fileName: String) throws(BlobError) -> BlobName {
        try BlobName(userID: owner.description, postID: id.description, fileName: fileName)
    }
}
