package import API
import Access
import Files
import Imaging
package import Logging
package import Model
import Social
import Store
import Tree
import TreeModel

/// The uploads whose photo arrives in several requests: first the post's id is reserved, then bytes arrive until the
/// photo is complete. From then on it is an upload like any other.
///
/// Methods may be called from any task.
package final class ResumableUploads: Sendable {
    package let files: ResumableFiles
    let store: UploadStore
    let ingester: PhotoIngester
    let renditions: RenditionMaker
    private let settings: SharedSettings
    private let logger: Logger

    package init(
        files: ResumableFiles, store: UploadStore, ingester: PhotoIngester, renditions: RenditionMaker,
        settings: SharedSettings, logger: Logger
    ) {
        self.files = files
        self.store = store
        self.ingester = ingester
        self.renditions = renditions
        self.settings = settings
        self.logger = logger
    }

    /// The information about the photo before its first byte.
    package struct Photo: Sendable, Hashable {
        /// The sender's name of the photo.
        package var name: String
        /// The alternative text.
        package var alt: String
        /// The size in bytes, if it is known.
        package var length: Int?
        /// Further metadata from the sender, which is returned as it is.
        package var metadata: String?

        package init(name: String, alt: String = "", length: Int? = nil, metadata: String? = nil) {
            self.name = String(name.prefix(255))
            self.alt = alt
            self.length = length
            self.metadata = metadata
        }

        /// The details that are stored with the file.
        fileprivate var details: String {
            var fields: JSONValue = ["name": .string(name)]
            if !alt.isEmpty { fields["alt"] = .string(alt) }
            if let metadata { fields["metadata"] = .string(metadata) }
            return String(decoding: fields.json(), as: UTF8.self)
        }

        /// Whether this is a repetition of an earlier announcement, perhaps by another protocol, without further metadata.
        fileprivate func continues(_ known: Photo) -> Bool {
            name == known.name && alt == known.alt && (known.length ?? length) == length
                && (metadata == nil || known.metadata == nil || metadata == known.metadata)
        }

        /// Reads the stored details; a file that belongs to no upload has no name.
        package init(of file: ResumableFile) {
            let fields = JSONValue(text: file.details.utf8)
            self.init(
                name: fields?["name"]?.string ?? "photo", alt: fields?["alt"]?.string ?? "", length: file.length,
                metadata: fields?["metadata"]?.string)
        }
    }

    /// The time after which an unused upload expires.
    package var lifetime: Duration { settings.value.draftLifetime }

    // MARK: Beginning

    /// Reserves the id of the post. Durable on return.
    ///
    /// - Returns: The new upload, which is `receiving`; or the known upload of an earlier request with the same
    ///   idempotency key, which may still be receiving.
    /// - Throws: The errors of ``UploadStore/reserve(_:)`` and ``ResumableFiles/check(_:)``; `Failure` `bad_text` for
    ///   an invalid alternative text, `key_reused` if the known upload was announced differently.
    package func begin(_ request: UploadRequest, _ photo: Photo) async throws -> Reservation {
        let known = try await holder(of: request.clientReference, request.owner)
        return try await begin(request, photo, knownAs: known)
    }

    /// Reserves the id of the post, as ``begin(_:_:)``.
    ///
    /// - Parameter known: The upload that has the idempotency key; nil if there is none.
    func begin(_ request: UploadRequest, _ photo: Photo, knownAs known: UploadRecord?) async throws -> Reservation {
        var (request, photo) = (request, photo)
        photo.alt = try PostText.requireAlt(photo.alt)
        var file = ResumableFileRequest(
            owner: request.owner.key, purpose: .upload, maxBytes: settings.value.limits.maxInputBytes)
        file.details = photo.details
        file.length = photo.length
        request.file = file
        // A known upload counts already.
        var room: QuotaHold?
        if known == nil || known?.state == .failed || known?.state == .expired {
            try await files.check(file)
            room = try await files.room(for: file)
        }
        defer { withExtendedLifetime(room) {} }
        switch try await store.reserve(request) {
        case .new(let record): return .new(record)
        case .known(let record) where record.state == .failed:
            return .new(try await store.reserve(request, replacing: record))
        case .known(let record):
            try await check(record, against: request, photo)
            return .known(record)
        }
    }

    /// Checks that a repeated key belongs to the same request, as far as that can be decided before the bytes arrive.
    private func check(
        _ record: UploadRecord, against request: UploadRequest, _ photo: Photo
    ) async throws {
        var asked = record
        try asked.say(request.text, mentioning: request.mentions)
        let isSamePhoto =
            if record.state == .receiving {
                try await files.record(of: record.id).map { photo.continues(Photo(of: $0)) } ?? true
            } else {
                record.lastByte != nil && photo.length ?? record.lastByte == record.lastByte
            }
        guard record.state != .draft, record.draftPosition?.id == request.draftPosition?.id, isSamePhoto,
            asked.text == record.text,
            asked.mentions == record.mentions,
            request.audiences.sorted() == record.audiences
        else { throw Failure.keyReused(record.id) }
    }

    // MARK: Continuing

    /// Acknowledges an upload whose bytes have all arrived: the rest happens in the background. Durable on return;
    /// continues if the task is cancelled.
    ///
    /// - Throws: `Failure`: the refusal of bytes that are not a photo, with which the upload has then failed;
    ///   `bad_mention`; `wrong_state` if it ended meanwhile; a transient error, after which it is tried again
    ///   automatically.
    package func accept(_ session: ResumableSession) async throws -> UploadRecord {
        try await Task { [self] in
            let id = session.record.id
            guard let record = try await store.record(of: id) else { throw Failure.noSuchFile(id) }
            if let place = record.draftPosition { return try await add(record, to: place, session) }
            do {
                let photo = try await photo(of: record, session)
                return try await store.acknowledge(id, from: .receiving, replacing: try await replaced(by: record)) {
                    $0.photos = [0: photo]
                    if $0.clientReference != nil { $0.fingerprint = RequestFingerprint(of: $0) }
                }
            } catch {
                let failure = Failure(error)
                guard !failure.isTransient, failure.code != .wrongState, failure.code != .notFound else { throw error }
                try await fail(id, with: failure)
                throw failure
            }
        }.value
    }

    /// Moves the bytes of a photo to the blob store, unless they were moved before a crash.
    ///
    /// - Parameter record: The upload to which the photo belongs.
    func photo(
        _ number: Int = 0, of record: UploadRecord, _ session: ResumableSession
    ) async throws -> UploadRecord.Photo {
        let details = Photo(of: session.record)
        var photo: UploadRecord.Photo
        switch try await session.finish() {
        case .whole(let staged, let contents):
            photo = try await ingester.publish(staged, contents, as: number, named: details.name, of: record)
        case .moved(let byteCount, let sha256):
            guard
                let published = try await ingester.published(
                    as: number, named: details.name, byteCount: byteCount, sha256: sha256, of: record)
            else { throw Failure.bytesMissing(of: session.record) }
            photo = published
        }
        photo.alt = details.alt
        return photo
    }

    /// Returns the failed upload that had the same idempotency key before; nil if there is none.
    func replaced(by record: UploadRecord) async throws -> UploadRecord? {
        guard let holder = try await holder(of: record.clientReference, record.owner), holder.id != record.id
        else { return nil }
        // Of two uploads that have replaced a failed one, the first counts.
        guard ![.ingested, .published].contains(holder.state) else { throw Failure.keyReused(holder.id) }
        return holder
    }

    /// Returns the upload that has an idempotency key; nil if there is none.
    func holder(of reference: String?, _ owner: UserID) async throws -> UploadRecord? {
        guard let reference else { return nil }
        let path = UploadNodes.reference(owner, try ClientReference.key(reference))
        guard let id = try await store.tree.get(path)?.stringValue.flatMap({ PostID($0) }) else { return nil }
        return try await store.record(of: id)
    }

    // MARK: Ending

    /// Ends an upload that its sender cancels, and the request that receives it. Durable on return.
    ///
    /// - Throws: `Failure`: `not_found`; `wrong_state` if all of its bytes have arrived.
    package func cancel(_ id: PostID) async throws {
        try await files.withFile(id, isBrief: true) { [store] _ in try await store.expire(id, from: .receiving) }
        try await files.removeBytes(of: id)
    }

    /// Ends an upload whose photo can never be posted.
    package func fail(_ id: PostID, with failure: Failure) async throws {
        try await store.fail(id, from: .receiving, with: failure)
        try await files.removeBytes(of: id)
    }
}
