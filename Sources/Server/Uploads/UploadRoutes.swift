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

    func add(to router: Router<DoorContext>) {
        // PUT, too: that is what "curl -T" sends.
        router.resource("v1/uploads", [.post: create, .put: create])
        router.resource("v1/uploads/:id", [.get: show])
    }

    @Sendable private func create(_ request: Request, _ context: DoorContext) async throws -> Response {
        try pipeline.intake.check()
        var form = try UploadForm(request)
        var pieces = try UploadPieces(request, limits: limits)
        let firstName = try await PhotoReceiver(pipeline: pipeline).readFields(&pieces, into: &form)
        let reservation = try form.request()
        let record = try await withReference(of: reservation) {
            switch try await pipeline.reserve(reservation) {
            case .known(let record):
                try check(record, against: reservation, hasPhotos: firstName != nil)
                try await pieces.drain()
                return record
            case .new(let record):
                return try await receive(&pieces, firstName: firstName, of: record, &form)
            }
        }
        let answer = UploadAnswer(pipeline: pipeline)
        return reservation.isDraft ? try answer.draft(record) : try await answer.outcome(of: record, for: request)
    }

    /// Requests with one idempotency key wait for each other: the later ones find what the first one made.
    private func withReference<R>(of reservation: UploadRequest, _ body: () async throws -> R) async rethrows -> R {
        guard let reference = reservation.clientReference else { return try await body() }
        return try await requests.withLock(RequestKey(owner: reservation.owner, reference: reference), body)
    }

    /// A key that comes again has to mean the same: photos sent with it must not vanish behind somebody else's answer.
    private func check(
        _ record: UploadRecord, against reservation: UploadRequest, hasPhotos: Bool
    ) throws(PipelineError) {
        guard (record.state == .draft) == reservation.isDraft || record.state.isTerminal || record.state == .ingested
        else { throw conflict("this idempotency key names a draft", "send draft=true, or another key") }
        guard record.state != .draft || !hasPhotos else {
            throw conflict(
                "this idempotency key names a draft that exists",
                "add photos to it: POST /v1/uploads/\(record.id)/photos")
        }
    }

    private func conflict(_ message: String, _ hint: String) -> PipelineError {
        PipelineError(.conflict, message, hint: hint)
    }

    /// Receives what was reserved for, and gives the reservation back when that fails.
    private func receive(
        _ pieces: inout UploadPieces, firstName: String?, of record: UploadRecord, _ form: inout UploadForm
    ) async throws -> UploadRecord {
        let receiver = PhotoReceiver(pipeline: pipeline)
        do {
            if record.state == .draft {
                try await receiver.addPhotos(&pieces, firstName: firstName, to: record.id, form: &form)
                try checkDraftText(form, record)
            } else {
                let photos = try await receiver.ingestPhotos(
                    &pieces, firstName: firstName, of: record, form: &form)
                guard try !form.fields.flag("draft") else {
                    throw ServerError(.badRequest, "draft came after the photos", hint: "put it before the first photo")
                }
                try await pipeline.accept(record.id, photos: photos, text: form.text)
            }
            return try await pipeline.record(of: record.id) ?? record
        } catch {
            try? await pipeline.abandon(record.id, from: record.state)
            throw error
        }
    }

    private func checkDraftText(_ form: UploadForm, _ record: UploadRecord) throws(ServerError) {
        guard !record.text.isEmpty || form.text.isEmpty else {
            throw ServerError(
                .badRequest, "a draft's text came after its photos",
                hint: "put the text before the photos, or send it when you publish")
        }
    }

    @Sendable private func show(_ request: Request, _ context: DoorContext) async throws -> Response {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await pipeline.record(of: id) else {
            throw ServerError(.notFound, "there is no such upload", hint: "it may have expired; send the photo again")
        }
        return .json(try UploadAnswer(pipeline: pipeline).document(of: record))
    }
}
