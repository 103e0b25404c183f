import Hummingbird
import Pipeline
import Posts
import Tree

/// `/v1/uploads`: photos in, a post out.
struct UploadRoutes: Sendable {
    private struct RequestKey: Hashable {
        let owner: UserID
        let reference: String
    }

    private let pipeline: UploadPipeline
    private let limits: BodyLimits
    private let requests = KeyedLock<RequestKey>()

    init(_ pipeline: UploadPipeline, limits: BodyLimits) {
        self.pipeline = pipeline
        self.limits = limits
    }

    func add(to router: Router<RequestContext>) {
        // PUT, too: that is what "curl -T" sends.
        router.resource("v1/uploads", [.post: create, .put: create])
        router.resource("v1/uploads/:id", [.get: show])
    }

    @Sendable private func create(_ request: Request, _ context: RequestContext) async throws -> Response {
        try pipeline.intake.check()
        var form = try UploadForm(request, names: UploadForm.uploadNames)
        var pieces = try UploadPieces(context.asking(request), photoName: form.photoName, limits: limits)
        let first = try await PhotoReceiver(pipeline: pipeline).readFields(&pieces, into: &form)
        let reservation = try form.request()
        let record = try await withReference(of: reservation) {
            switch try await pipeline.reserve(reservation) {
            case .known(let record) where record.state == .failed && !reservation.isDraft:
                return try await receiveAgain(&pieces, first: first, after: record, reservation, &form)
            case .known(let record):
                let photos = try await PhotoReceiver(pipeline: pipeline).hashPhotos(
                    &pieces, first: first, form: &form)
                try check(
                    record, against: fingerprint(of: form, photos: photos, by: record), hasPhotos: !photos.isEmpty)
                return record
            case .new(let record):
                return try await receive(&pieces, first: first, of: record, &form)
            }
        }
        let answer = UploadResponse(pipeline: pipeline)
        return reservation.isDraft ? try answer.draft(record) : try await answer.outcome(of: record, for: request)
    }

    /// Requests with one idempotency key wait for each other: the later ones find what the first one made.
    private func withReference<R>(of reservation: UploadRequest, _ body: () async throws -> R) async rethrows -> R {
        guard let reference = reservation.clientReference else { return try await body() }
        return try await requests.withLock(RequestKey(owner: reservation.owner, reference: reference), body)
    }

    private func fingerprint(
        of form: UploadForm, photos: [RequestFingerprint.Photo], by record: UploadRecord
    ) throws -> RequestFingerprint {
        RequestFingerprint(
            user: record.owner, text: form.text, isDraft: try form.fields.flag("draft"), photos: photos)
    }

    /// A key that comes again has to mean the same: photos sent with it must not vanish behind another's answer.
    private func check(
        _ record: UploadRecord, against request: RequestFingerprint, hasPhotos: Bool
    ) throws(PipelineError) {
        guard let first = record.fingerprint else {
            // An earlier version did not note it, or a crash came before it could be noted.
            guard record.state != .draft || !hasPhotos else { throw UploadPipeline.keyReused(record.id) }
            return
        }
        guard first == request else { throw UploadPipeline.keyReused(record.id) }
    }

    /// Receives a request whose key is that of an upload that failed: the same request gets the same answer, another one
    /// takes the key over.
    private func receiveAgain(
        _ pieces: inout UploadPieces, first: PhotoReceiver.Heading?, after failed: UploadRecord,
        _ reservation: UploadRequest, _ form: inout UploadForm
    ) async throws -> UploadRecord {
        let record = try await pipeline.reserve(reservation, insteadOf: failed)
        do {
            let photos = try await PhotoReceiver(pipeline: pipeline).ingestPhotos(
                &pieces, first: first, of: record, form: &form)
            let request = try fingerprint(of: form, photos: photos.map { .init($0) }, by: record)
            guard request != failed.fingerprint ?? RequestFingerprint(of: failed) else {
                try await pipeline.abandon(record.id)
                return failed
            }
            try checkDraftFlag(form)
            try await pipeline.accept(record.id, photos: photos, text: form.text, insteadOf: failed)
            return try await pipeline.record(of: record.id) ?? record
        } catch {
            try? await pipeline.abandon(record.id)
            throw error
        }
    }

    /// Receives what was reserved for, and gives the reservation back when that fails.
    private func receive(
        _ pieces: inout UploadPieces, first: PhotoReceiver.Heading?, of record: UploadRecord, _ form: inout UploadForm
    ) async throws -> UploadRecord {
        let receiver = PhotoReceiver(pipeline: pipeline)
        do {
            if record.state == .draft {
                let photos = try await receiver.addPhotos(&pieces, first: first, to: record.id, form: &form)
                try checkDraftText(form, record)
                if record.clientReference != nil {
                    return try await pipeline.note(fingerprint(of: form, photos: photos, by: record), of: record.id)
                }
            } else {
                let photos = try await receiver.ingestPhotos(
                    &pieces, first: first, of: record, form: &form)
                try checkDraftFlag(form)
                try await pipeline.accept(record.id, photos: photos, text: form.text)
            }
            return try await pipeline.record(of: record.id) ?? record
        } catch {
            try? await pipeline.abandon(record.id, from: record.state)
            throw error
        }
    }

    private func checkDraftFlag(_ form: UploadForm) throws(ServerError) {
        guard try !form.fields.flag("draft") else {
            throw ServerError(.badRequest, "draft came after the photos", hint: "put it before the first photo")
        }
    }

    private func checkDraftText(_ form: UploadForm, _ record: UploadRecord) throws(ServerError) {
        guard !record.text.isEmpty || form.text.isEmpty else {
            throw ServerError(
                .badRequest, "a draft's text came after its photos",
                hint: "put the text before the photos, or send it when you publish")
        }
    }

    @Sendable private func show(_ request: Request, _ context: RequestContext) async throws -> Response {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await pipeline.record(of: id) else {
            throw ServerError(.notFound, "there is no such upload", hint: "it may have expired; send the photo again")
        }
        return .json(try UploadResponse(pipeline: pipeline).document(of: record))
    }
}
