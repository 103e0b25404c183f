import API
import Hummingbird
import Model
package import Requests
import Social
package import Store
import Transport
import Tree
package import Uploads

/// `/v1/uploads`: photos in, a post out.
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
        "Idempotency-Key", .text(matching: "^[!-~]{1,200}$"), "by which the same upload is known again")

    /// `POST /v1/uploads`.
    var creation: Endpoint {
        Endpoint(
            "Publishes photos, a text, or both; with draft, reserves a post.",
            [
                .query("user", .userID, "who posts"),
                .query("text", .text(upTo: PostText.maxCharacters), "the post's text"),
                .query(
                    "audiences", .text, "for which audiences the post is, with spaces between; else it is for everybody"
                ),
                .query("mentions", .text, "whom parts of it stand for, as JSON"),
                .query("draft", .flag, "whether the post is published later"),
                .query("name", .text, "the file name of a photo that is the body itself"),
                .query("alt", .text(upTo: PostText.maxAltCharacters), "what that photo shows"),
                .query("duplicates", .one(of: DuplicatePolicy.self), "what becomes of photos that were posted before"),
                Self.idempotencyKey,
                .header("Prefer", .text, "`respond-async` answers as soon as the originals are safe"),
            ],
            body: UploadForm.body,
            answers: [
                .json(.any(.document(PublishedDocument.self), .document(UploadDocument.self)), .created)
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

    /// `GET /v1/uploads/{id}`.
    var status: Endpoint {
        Endpoint(
            "The state of an upload.", [.path("id", .postID)], answers: [.json(UploadDocument.self)],
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

    /// Receives what was reserved for, and gives the reservation back when that fails.
    private func receive(
        _ pieces: inout UploadPieces, first: PhotoReceiver.Heading?, in session: consuming UploadSession,
        _ form: inout UploadForm
    ) async throws -> UploadRecord {
        let mentions: [MentionSpan.Claim]
        do {
            try await PhotoReceiver(uploads: uploads).receivePhotos(
                &pieces, first: first, into: &session, form: &form)
            mentions = try UploadForm.mentions(in: form.fields) ?? []
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
            return try await session.accept(text: form.text, mentions: mentions)
        }
        return try await session.keepDraft(text: form.text, mentions: mentions)
    }

    /// Reads a request whose key is that of an earlier upload. The same request gets the same answer, another one is refused;
    /// but it takes the key over from an upload that failed.
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
        do {
            try await PhotoReceiver(uploads: uploads).receivePhotos(
                &pieces, first: first, into: &session, form: &form)
            try checkDraftFlag(form)
            try checkAudiences(form, session.record)
            mentions = try UploadForm.mentions(in: form.fields) ?? []
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
        return try await session.accept(text: form.text, mentions: mentions)
    }

    /// A key that comes again has to mean the same: photos sent with it must not vanish behind another's answer.
    private func check(
        _ record: UploadRecord, against request: RequestFingerprint, hasPhotos: Bool
    ) throws(Failure) {
        guard let first = record.fingerprint else {
            // An earlier version did not note it, or a crash came before it could be noted.
            guard record.state != .draft || !hasPhotos else { throw .keyReused(record.id) }
            return
        }
        guard first == request else { throw .keyReused(record.id) }
    }

    private func checkDraftFlag(_ form: UploadForm) throws(Failure) {
        guard try !form.fields.flag("draft") else {
            throw Failure(.badRequest, "draft came after the photos", hint: "put it before the first photo")
        }
    }

    /// What was meant for some must never be for others, in whatever order it is said.
    private func checkAudiences(_ form: UploadForm, _ record: UploadRecord) throws(Failure) {
        guard try form.audiences() == record.audiences else {
            throw Failure(
                .badAudience, "the audiences came after the photos, or an earlier request with this key named others",
                hint: "put audiences before the first photo, or into the query")
        }
    }

    private func checkDraftText(_ form: UploadForm, _ record: UploadRecord) throws(Failure) {
        guard !record.text.isEmpty || form.text.isEmpty else {
            throw Failure(
                .badRequest, "a draft's text came after its photos",
                hint: "put the text before the photos, or send it when you publish")
        }
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await uploads.store.record(of: id),
            context.identity.owns(record)
        else {
            throw Failure(.notFound, "there is no such upload", hint: "it may have expired; send the photo again")
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
