import API
import HTTPTypes
import Hummingbird
package import Model
import ServiceLifecycle
import Social
package import Store
import Transport
package import Tree
import TreeModel
package import Uploads

/// Creates the responses about an upload.
package struct UploadResponse {
    /// The longest wait for an upload while the service stops, or while its disk is full or broken.
    private static let patience = Duration.seconds(5)

    let store: UploadStore
    let tree: TreeStore
    let gate: IntakeGate
    /// Whether a moderator decides about posts before they are published.
    let isModerated: Bool
    let media: MediaAccess
    /// The address by which apps reach the service; nil for addresses without a host.
    let base: PublicBase?

    package init(
        store: UploadStore, tree: TreeStore, gate: IntakeGate, isModerated: Bool, media: MediaAccess, base: PublicBase?
    ) {
        self.store = store
        self.tree = tree
        self.gate = gate
        self.isModerated = isModerated
        self.media = media
        self.base = base
    }

    /// Returns the post, when it is published: 201, or 200 if it existed before, or the permanent failure. With
    /// `Prefer: respond-async` (RFC 7240), and when the service stops or pauses before the end, it returns 202 and the
    /// address of the upload's state.
    func outcome(of record: UploadRecord, for request: Request) async throws -> Response {
        try await outcome(of: record, for: request) { ended in
            if let draft = ended.draftPosition?.id { return self.draft(try await store.drafts.any(draft)) }
            return switch ended.state {
            case .duplicate: try await answer(about: ended.duplicateOf ?? ended.id, .ok)
            case .deleted: throw Self.deleted(ended.id)
            default: try await answer(about: ended.id, .created)
            }
        }
    }

    /// Waits until an upload has reached the wanted state, and returns the response, or the permanent failure; 202 as
    /// above.
    func outcome(
        of record: UploadRecord, for request: Request, _ success: (_ ended: UploadRecord) async throws -> Response
    ) async throws -> Response {
        let preference = request.prefersAsync
        let ended = preference ? record : try await end(of: record)
        switch ended.state {
        case .published, .duplicate, .deleted:
            return try await success(ended)
        case .failed, .expired:
            throw ended.error ?? Failure(.wrongState, "upload \(ended.id) is \(ended.state.rawValue)")
        case .reserved, .draft, .receiving, .ingested:
            var headers: HTTPFields = [.location: "/v1/uploads/\(ended.id)"]
            if preference { headers[.preferenceApplied] = "respond-async" }
            return .json(document(of: ended), status: .accepted, headers: headers)
        }
    }

    /// Returns the upload's record at its end; or its present state if the service stops or pauses and it has not ended
    /// soon after, or if the moderator does not decide.
    private func end(of record: UploadRecord) async throws -> UploadRecord {
        try await withThrowingTaskGroup(of: UploadRecord.self) { group in
            group.addTask { try await store.end(of: record.id) }
            if isModerated { group.addTask { try await unmoderated(record) } }
            group.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: Self.patience)
                return record
            }
            group.addTask {
                while true {
                    await gate.waitUntilPaused()
                    if Task.isEnding { try await gracefulShutdown() }
                    try await Task.sleep(for: Self.patience)
                    if gate.pause != nil { return record }
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? record
        }
    }

    /// Waits until the moderator has failed to decide about an upload, and returns its record; without moderation,
    /// waits until the task is cancelled.
    private func unmoderated(_ record: UploadRecord) async throws -> UploadRecord {
        let code = TreeValue.string(ErrorCode.moderationUnavailable.rawValue)
        let subscription = try await tree.subscribe(to: UploadNodes.upload(record.id) / "error" / "code")
        if subscription.value != code {
            for try await change in subscription where change.writes.first?.value == code { break }
        }
        try Task.checkCancellation()
        return try await store.record(of: record.id) ?? record
    }

    private func answer(about id: PostID, _ status: HTTPResponse.Status) async throws -> Response {
        let found = try await tree.snapshot { snapshot -> (PostPage.Item, isRestricted: Bool)? in
            guard let path = try snapshot.path(ofPost: id), let record = try snapshot.get(path) else { return nil }
            let isRestricted = path == AudienceNodes.post(id)
            let times = isRestricted ? TimeNodes.audiencePost : TimeNodes.post
            return (
                try PostPage.Item(id: id.key, record: record, position: nil, times: times, in: snapshot), isRestricted
            )
        }
        guard let (post, isRestricted) = found else { throw Self.deleted(id) }
        // The sender of a post may see it.
        let shown = media.signed(post.record.shown(post.times), id: id.key, isRestricted: isRestricted)
        let document = PublishedDocument(postID: id.description, post: PostDocument(shown))
        return .json(document, status: status, headers: [.location: "/v1/posts/\(id)"])
    }

    private static func deleted(_ id: PostID) -> Failure {
        Failure(
            .deleted, "post \(id), into which this upload was published, was deleted",
            hint: "Send it with another idempotency key to post it again.")
    }

    /// Returns the response for a draft: 201, and the address of its state.
    func draft(_ record: UploadRecord) -> Response {
        .json(document(of: record), status: .created, headers: [.location: "/v1/uploads/\(record.id)"])
    }

    /// Returns the public description of an upload: without names of files and paths.
    func document(of record: UploadRecord) -> UploadDocument {
        var document = UploadDocument(
            uploadID: record.id.description, user: record.owner.description, door: record.intake, state: record.state,
            createdAt: record.createdAt.milliseconds, updatedAt: record.updatedAt.milliseconds,
            attempts: record.attempts)
        document.clientTimestamp = record.clientTimestamp?.milliseconds
        document.text = record.text.isEmpty ? nil : record.text
        document.clientReference = record.clientReference
        document.audiences = record.audiences.isEmpty ? nil : record.audiences.map(\.description)
        if record.purpose == .post {
            document.post = (record.state == .published ? record.id : record.duplicateOf).map { "/v1/posts/\($0)" }
        } else {
            document.purpose = record.purpose
            (document.draft, document.number) = (record.draftPosition?.id.description, record.draftPosition?.number)
        }
        document.error = record.error.map { Problem($0).failure }
        // The addresses of an unpublished upload are only for its sender, who may pass them on.
        let address: (String) -> String =
            record.state.isPost
            ? { MediaAddress.url(record.owner, record.id, $0, at: base) }
            : { media.address(ofRendition: $0, of: record) }
        document.photos =
            record.photos.isEmpty
            ? nil
            : zip(record.photoNumbers, record.orderedPhotos).map { number, photo in
                var photo = UploadDocument.Photo(photo, of: record, address)
                if record.state == .draft { photo.number = number }
                return photo
            }
        return document
    }
}

extension UploadDocument.Photo {
    /// - Parameter address: Returns the address of a rendition, by the name of its file.
    fileprivate init(_ photo: UploadRecord.Photo, of record: UploadRecord, _ address: (String) -> String) {
        self.init(originalName: photo.originalName, bytes: photo.byteCount, sha256: photo.sha256)
        alt = photo.alt.isEmpty ? nil : photo.alt
        guard let rendered = photo.rendered else { return }
        (width, height) = (rendered.width, rendered.height)
        (color, placeholder) = (rendered.color, rendered.placeholder)
        warnings = rendered.warnings.isEmpty ? nil : rendered.warnings
        renditions = rendered.renditions.mapValues { rendition in
            RenditionDocument(
                url: address(rendition.fileName),
                storageURI: MediaAddress.storageURI(record.owner, record.id, rendition.fileName),
                contentType: rendition.contentType, bytes: rendition.byteCount, width: rendition.width,
                height: rendition.height)
        }
    }
}

extension Request {
    /// Whether the client prefers a response without waiting.
    fileprivate var prefersAsync: Bool {
        headers[values: .prefer].contains { field in
            field.lowercased().split(separator: ",").contains { preference in
                preference.split(separator: ";").first?.filter { $0 != " " } == "respond-async"
            }
        }
    }
}
