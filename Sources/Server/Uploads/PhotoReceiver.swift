import Blobs
import Imaging
import NIOCore
import Pipeline
import Posts

/// Brings the photos of an upload's body to disk, one after the other.
struct PhotoReceiver {
    let pipeline: UploadPipeline

    /// Takes in fields up to the first photo; its name, or nil when there is none.
    func readFields(_ pieces: inout UploadPieces, into form: inout UploadForm) async throws -> String? {
        while let piece = try await pieces.next() {
            switch piece {
            case .field(let name, let value): try form.fields.set(name, value)
            case .photoBegan(let name): return name
            case .photoBytes, .photoEnded: break
            }
        }
        return nil
    }

    /// Ingests the photos, beginning with the one whose name was read, and takes in the fields between and after them.
    func ingestPhotos(
        _ pieces: inout UploadPieces, firstName: String?, of record: UploadRecord, form: inout UploadForm
    ) async throws -> [UploadRecord.Photo] {
        var photos: [UploadRecord.Photo] = []
        var name = firstName
        while let current = name {
            guard photos.count < pipeline.settings.maxPhotos else { throw pipeline.tooManyPhotos() }
            let staged = try await pipeline.stage(record.id)
            try await receive(&pieces, into: staged)
            photos.append(
                try await pipeline.ingest(staged, as: photos.count, originalName: current, of: record))
            name = try await readFields(&pieces, into: &form)
        }
        return photos
    }

    /// Adds the photos to a draft, beginning with the one whose name was read: each is durable before the next begins.
    ///
    /// - Returns: The SHA-256 of each.
    @discardableResult
    func addPhotos(
        _ pieces: inout UploadPieces, firstName: String?, to id: PostID, form: inout UploadForm
    ) async throws -> [String] {
        var hashes: [String] = []
        var name = firstName
        while let current = name {
            let number = try await pipeline.nextPhotoNumber(of: id)
            let staged = try await pipeline.stage(id)
            try await receive(&pieces, into: staged)
            let record = try await pipeline.add(staged, as: number, originalName: current, to: id)
            hashes += record.photos[number].map { [$0.sha256] } ?? []
            name = try await readFields(&pieces, into: &form)
        }
        return hashes
    }

    /// Reads the photos to their end and keeps nothing of them but the SHA-256 of each, and the fields between and after.
    func hashPhotos(
        _ pieces: inout UploadPieces, firstName: String?, form: inout UploadForm
    ) async throws -> [String] {
        var hashes: [String] = []
        var name = firstName
        while name != nil {
            guard hashes.count < pipeline.settings.maxPhotos else { throw pipeline.tooManyPhotos() }
            hashes.append(try await hashPhoto(&pieces))
            name = try await readFields(&pieces, into: &form)
        }
        return hashes
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
