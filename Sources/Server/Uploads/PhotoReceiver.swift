import API
import Cryptography
import Files
import Model
import NIOCore
import Requests
import Uploads

/// Receives the photos of an upload's body into a session, one after the other.
struct PhotoReceiver {
    /// The description of a photo, which precedes its bytes.
    struct Heading {
        let name: String
        /// The alternative text, validated.
        let alt: String
    }

    let uploads: UploadReceiver

    /// Reads fields up to the next photo; returns its heading, or nil if there is none.
    ///
    /// - Throws: `Failure` `bad_text` and `Failure` `bad_request` for an alternative text that is invalid, or belongs
    ///   to no photo; see also ``UploadPieces/next()``.
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

    /// Receives the photos, beginning with the one whose heading was read, and reads the fields between and after them.
    func receivePhotos(
        _ pieces: inout UploadPieces, first: Heading?, into session: inout UploadSession, form: inout UploadForm
    ) async throws {
        var next = first
        if next != nil { try await session.expect(pieces.expectedByteCount) }
        while let heading = next {
            try await session.receive(named: heading.name, alt: heading.alt) { try await Self.nextBytes(&pieces) }
            next = try await readFields(&pieces, into: &form)
        }
    }

    /// Reads the photos to their end without storing them, and the fields between and after; returns the data to which
    /// an idempotency key is bound.
    func hashPhotos(
        _ pieces: inout UploadPieces, first: Heading?, form: inout UploadForm
    ) async throws -> [RequestFingerprint.Photo] {
        var photos: [RequestFingerprint.Photo] = []
        var next = first
        while let heading = next {
            try uploads.store.checkPhotoCount(photos.count)
            photos.append(.init(sha256: try await hashPhoto(&pieces), alt: heading.alt))
            next = try await readFields(&pieces, into: &form)
        }
        return photos
    }

    private func hashPhoto(_ pieces: inout UploadPieces) async throws -> String {
        var hash = SHA256()
        var byteCount = 0
        while let buffer = try await Self.nextBytes(&pieces) {
            byteCount += buffer.readableBytes
            try uploads.ingester.checkSize(byteCount)
            buffer.withUnsafeReadableBytes { hash.update($0) }
        }
        return hash.finish()
    }

    /// Returns the next bytes of the photo; nil at its end.
    private static func nextBytes(_ pieces: inout UploadPieces) async throws -> ByteBuffer? {
        guard case .photoBytes(let buffer)? = try await pieces.next() else { return nil }
        return buffer
    }
}
