import API
import Hummingbird
import Model
package import Requests
import Social
package import Store
import Transport
import Tree
package import Uploads

/// `/v1/uploads`: uploads of photos, which become posts.
package struct UploadRoutes: Sendable {
    private let uploads: UploadReceiver
    private let files: ResumableFiles
    private let disk: DiskMonitor
    private let response: UploadResponse
    private let limits: BodyLimits

    package init(
        _ uploads: UploadReceiver, _ files: ResumableFiles, _ disk: DiskMonitor, _ response: UploadResponse,
        limits: BodyLimits
    ) {
        (self.uploads, self.files, self.disk, self.response) = (uploads, files, disk, response)
        self.limits = limits
    }

    static let idempotencyKey = Parameter.header(
        "Idempotency-Key", .text(matching: ClientReference.pattern), "a key by which a repeated upload is recognised")

    /// The endpoint `POST /v1/uploads`.
    var creation: Endpoint {
        Endpoint(
            "createUpload", in: .uploads, "Publish photos, a text, or both, or reserve a draft",
            details:
                "In a form, fields that belong to a photo or say who posts precede it. A body may also be a photo.",
            [
                .query("user", .userID, "the author"),
                .query("text", .text(upTo: PostText.maxCharacters), "the post's text"),
                .query(
                    "audiences", .text, "the audiences of the post, separated by spaces; by default it is for everybody"
                ),
                .query("mentions", .text, "the mentions in the text, as JSON"),
                .query("client_timestamp", ClientTime.schema, ClientTime.details),
                .query("draft", .flag, "whether the post is published later"),
                .query("name", .text, "the file name of a photo that is the body itself"),
                .query("alt", .text(upTo: PostText.maxAltCharacters), "the alternative text of that photo"),
                .query("duplicates", .one(of: DuplicatePolicy.self), "the handling of photos that were posted before"),
                Self.idempotencyKey,
                .header("Prefer", .text, "`respond-async` answers as soon as the originals are durable"),
            ],
            body: UploadForm.body, needsBody: false,
            answers: [
                .json(
                    .any(.document(PublishedDocument.self), .document(UploadDocument.self)).named("UploadResult"),
                    .created
                )
                .with(headers: "Location"),
                .json(PublishedDocument.self).with(headers: "Location"),
                .json(UploadDocument.self, .accepted).with(headers: "Location"),
            ],
            errors: UploadForm.errors + [
                .badUser, .badAudience, .notMember, .notAllowed, .badReference, .emptyPost, .unknownUser, .duplicate,
                .keyReused,
            ],
            run: create)
    }

    /// The endpoint `GET /v1/uploads/{id}`.
    var status: Endpoint {
        Endpoint(
            "getUpload", in: .uploads, "Get the state of an upload", access: .person, [.path("id", .postID)],
            answers: [.json(UploadDocument.self)],
            errors: [.notFound], run: show)
    }

    @Sendable private func create(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try disk.gate.check()
        let upload = try context.begin(.upload)
        defer { withExtendedLifetime(upload) {} }
        var form = UploadForm(request, context)
        var pieces = try UploadPieces(context.asking(request), photoName: form.photoName, limits: limits)
        let first = try await PhotoReceiver(uploads: uploads).readFields(&pieces, into: &form)
        let reservation = try form.request()
        let record = try await uploads.begin(reservation) { start in
            switch consume start {
            case .new(let session):
                try await receive(&pieces, first: first, in: session, &form)
            case .known(let known):
                try await receive(&pieces, first: first, of: known, isDraft: reservation.isDraft, &form)
            }
        }
        return reservation.isDraft
            ? response.draft(record) : try await response.outcome(of: record, for: request)
    }

    /// Receives the photos of a reservation, and deletes the reservation if that fails.
    private func receive(
        _ pieces: inout UploadPieces, first: PhotoReceiver.Heading?, in session: consuming UploadSession,
        _ form: inout UploadForm
    ) async throws -> UploadRecord {
        let mentions: [MentionSpan.Claim]
        let clientTime: Timestamp?
        do {
            try await PhotoReceiver(uploads: uploads).receivePhotos(
                &pieces, first: first, into: &session, form: &form)
            mentions = try UploadForm.mentions(in: form.fields) ?? []
            clientTime = try form.clientTime()
            if session.record.state == .draft {
                try checkDraftText(form, session.record)
            } else {
                try checkDraftFlag(form)
            }
            try checkAudiences(form, session.record)
        } catch {
            await session.abandon()
            throw error
        }
        guard session.record.state == .draft else {
            return try await session.accept(text: form.text, mentions: mentions, at: clientTime)
        }
        return try await session.keepDraft(text: form.text, mentions: mentions)
    }

    /// Receives a request whose key belongs to an earlier upload. The same request receives the same response, a
    /// different one is refused; but it takes the key over from an upload that failed.
    private func receive(
        _ pieces: inout UploadPieces, first: PhotoReceiver.Heading?, of known: consuming KnownUpload, isDraft: Bool,
        _ form: inout UploadForm
    ) async throws -> UploadRecord {
        let record = known.record
        guard record.state == .failed, !isDraft else {
            let photos = try await PhotoReceiver(uploads: uploads).hashPhotos(&pieces, first: first, form: &form)
            let request = RequestFingerprint(
                user: record.owner, text: form.text, mentions: try UploadForm.mentions(in: form.fields) ?? [],
                isDraft: try form.fields.flag("draft"), audiences: try form.audiences(), photos: photos)
            try check(record, against: request, hasPhotos: !photos.isEmpty)
            return record
        }
        var session = try await known.beginAgain()
        let mentions: [MentionSpan.Claim]
        let clientTime: Timestamp?
        do {
            try await PhotoReceiver(uploads: uploads).receivePhotos(
                &pieces, first: first, into: &session, form: &form)
            try checkDraftFlag(form)
            try checkAudiences(form, session.record)
            mentions = try UploadForm.mentions(in: form.fields) ?? []
            clientTime = try form.clientTime()
        } catch {
            await session.abandon()
            throw error
        }
        guard
            session.fingerprint(text: form.text, mentions: mentions) != record.fingerprint
                ?? RequestFingerprint(of: record)
        else {
            await session.abandon()
            return record
        }
        return try await session.accept(text: form.text, mentions: mentions, at: clientTime)
    }

    /// Checks that a repeated key has the same meaning: the photos of a different request must not be lost behind
    /// another's response.
    private func check(
        _ record: UploadRecord, against request: RequestFingerprint, hasPhotos: Bool
    ) throws(Failure) {
        guard let first = record.fingerprint else {
            // An earlier version did not store it, or a crash prevented that.
            guard record.state != .draft || !hasPhotos else { throw .keyReused(record.id) }
            return
        }
        guard first == request else { throw .keyReused(record.id) }
    }

    private func checkDraftFlag(_ form: UploadForm) throws(Failure) {
        guard try !form.fields.flag("draft") else {
            throw Failure(.badRequest, "draft is given after the photos", hint: "Put it before the first photo.")
        }
    }

    /// Checks that a post for audiences never reaches others, whatever the order of the fields.
    private func checkAudiences(_ form: UploadForm, _ record: UploadRecord) throws(Failure) {
        guard try form.audiences() == record.audiences else {
            throw Failure(
                .badAudience,
                "the audiences are given after the photos, or an earlier request with this key named others",
                hint: "Put audiences before the first photo, or into the query.")
        }
    }

    private func checkDraftText(_ form: UploadForm, _ record: UploadRecord) throws(Failure) {
        let isLate = record.text.isEmpty && !form.text.isEmpty
        let clientTime = try form.clientTime()
        let isTimeLate = record.clientTimestamp == nil && clientTime != nil
        guard !isLate, !isTimeLate else {
            throw Failure(
                .badRequest, "a draft's \(isLate ? "text" : "client_timestamp") is given after its photos",
                hint: "Put it before the photos, or send it when you publish.")
        }
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await uploads.store.record(of: id),
            context.identity.owns(record)
        else {
            throw Failure(
                .notFound, "the upload does not exist", hint: "Send the photo again: the upload may have expired.")
        }
        guard record.state == .receiving, let file = try await files.record(of: id) else {
            return .json(response.document(of: record))
        }
        var document = response.document(of: record)
        document.receivedBytes = file.byteCount
        document.expectedBytes = file.length
        return .json(document, headers: [.uploadOffset: "\(file.byteCount)"])
    }
}
