import Blobs
import Imaging
import NIOCore
import Pipeline
import Posts

/// Brings the photos of an upload's body to disk, one after the other.
struct PhotoReceiver {
    /// What is said of a photo before its bytes come.
    struct Heading {
        let name: String
        /// The alternative text, checked.
        let alt: String
    }

    let pipeline: UploadPipeline

    /// Takes in fields up to the next photo; what is said of that, or nil when there is none.
    ///
    /// - Throws: `PipelineError` `bad_text` and `ServerError` `bad_request` for an alternative text that is none, or is of no
    ///   photo, or what ``UploadPieces/next()`` throws.
    func readFields(_ pieces: inout UploadPieces, into form: inout UploadForm) async throws -> Heading? {
        while let piece = try await pieces.next() {
            switch piece {
            case .field(let name, let value): try form.fields.set(name, value)
            case .photoBegan(let name): return Heading(name: name, alt: try form.takeAlt())
            case .photoBytes, .photoEnded: break
            }
        }
        try form.checkEnd()
        return nil
    }

    /// Ingests the photos, beginning with the one whose heading was read, and takes in the fields between and after them.
    func ingestPhotos(
        _ pieces: inout UploadPieces, first: Heading?, of record: UploadRecord, form: inout UploadForm
    ) async throws -> [UploadRecord.Photo] {
        var photos: [UploadRecord.Photo] = []
        var next = first
        while let heading = next {
            guard photos.count < pipeline.settings.maxPhotos else { throw pipeline.tooManyPhotos() }
            let staged = try await pipeline.stage(record.id)
            try await receive(&pieces, into: staged)
            var photo = try await pipeline.ingest(staged, as: photos.count, originalName: heading.name, of: record)
            photo.alt = heading.alt
            photos.append(photo)
            next = try await readFields(&pieces, into: &form)
        }
        return photos
    }

    /// Adds the photos to a draft, beginning with the one whose heading was read: each is durable before the next begins.
    ///
    /// - Returns: What an idempotency key is bound to of each.
    @discardableResult
    func addPhotos(
        _ pieces: inout UploadPieces, first: Heading?, to id: PostID, form: inout UploadForm
    ) async throws -> [RequestFingerprint.Photo] {
        var photos: [RequestFingerprint.Photo] = []
        var next = first
        while let heading = next {
            let number = try await pipeline.nextPhotoNumber(of: id)
            let staged = try await pipeline.stage(id)
            try await receive(&pieces, into: staged)
            let record = try await pipeline.add(
                staged, as: number, originalName: heading.name, alt: heading.alt, to: id)
            if let photo = record.photos[number] { photos.append(.init(photo)) }
            next = try await readFields(&pieces, into: &form)
        }
        return photos
    }

    /// Reads the photos to their end and keeps nothing of them but what an idempotency key is bound to, and the fields between
    /// and after.
    func hashPhotos(
        _ pieces: inout UploadPieces, first: Heading?, form: inout UploadForm
    ) async throws -> [RequestFingerprint.Photo] {
        var photos: [RequestFingerprint.Photo] = []
        var next = first
        while let heading = next {
            guard photos.count < pipeline.settings.maxPhotos else { throw pipeline.tooManyPhotos() }
            photos.append(.init(sha256: try await hashPhoto(&pieces), alt: heading.alt))
            next = try await readFields(&pieces, into: &form)
        }
        return photos
    }

    private func hashPhoto(_ pieces: inout UploadPieces) async throws -> String {
        var hash = SHA256()
        var byteCount = 0
        while case .photoBytes(let buffer)? = try await pieces.next() {
            byteCount += buffer.readableBytes
            guard byteCount <= pipeline.settings.limits.maxInputBytes else { throw pipeline.tooLarge() }
            buffer.withUnsafeReadableBytes { hash.update($0) }
        }
        return hash.finish()
    }

    private func receive(_ pieces: inout UploadPieces, into staged: StagedFile) async throws {
        while case .photoBytes(let buffer)? = try await pieces.next() {
            try await pipeline.append(buffer, to: staged)
        }
    }
}
