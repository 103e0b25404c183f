import Foundation
import HTTPTypes
import Hummingbird
import Pipeline
import Posts
import Tree

/// The two steps of an upload screen: photos are added to a draft one by one, then the text publishes it.
struct DraftRoutes: Sendable {
    private let pipeline: UploadPipeline
    private let limits: BodyLimits

    init(_ pipeline: UploadPipeline, limits: BodyLimits) {
        self.pipeline = pipeline
        self.limits = limits
    }

    func add(to router: Router<DoorContext>) {
        router.resource("v1/uploads/:id/photos", [.post: addPhotos, .put: addPhotos])
        router.resource("v1/uploads/:id/publish", [.post: publish])
    }

    @Sendable private func addPhotos(_ request: Request, _ context: DoorContext) async throws -> Response {
        try pipeline.intake.check()
        let record = try await record(context)
        var form = try UploadForm(request, names: UploadForm.photoNames)
        var pieces = try UploadPieces(context.asking(request), photoName: form.photoName, limits: limits)
        let receiver = PhotoReceiver(pipeline: pipeline)
        guard let name = try await receiver.readFields(&pieces, into: &form) else {
            throw PipelineError(.emptyFile, "there is no photo", hint: "send a photo, raw or in the form field photo")
        }
        try await receiver.addPhotos(&pieces, firstName: name, to: record.id, form: &form)
        return try UploadAnswer(pipeline: pipeline).draft(try await self.record(context))
    }

    @Sendable private func publish(_ request: Request, _ context: DoorContext) async throws -> Response {
        let text = try await text(of: context.asking(request))
        let record = try await record(context)
        do {
            try await pipeline.publish(record.id, text: text)
        } catch let error as PipelineError where error.code == .wrongState {
            // Somebody who asks again, because the first answer was lost, gets it.
            let now = try await self.record(context)
            guard [.ingested, .published].contains(now.state), text == nil || PostText.checked(text ?? "") == now.text
            else { throw error }
        }
        return try await UploadAnswer(pipeline: pipeline).outcome(of: try await self.record(context), for: request)
    }

    private func record(_ context: DoorContext) async throws -> UploadRecord {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await pipeline.record(of: id) else {
            throw ServerError(.notFound, "there is no such draft", hint: "reserve one: POST /v1/uploads?draft=true")
        }
        return record
    }

    /// The text, from the query, a form or a JSON object; nil when none was sent and the draft's own stays.
    private func text(of request: Request) async throws -> String? {
        var fields = try FormFields(queryOf: request.uri, names: ["text"])
        let type = HeaderParameters(request.headers[.contentType] ?? "").value
        if type == "multipart/form-data" {
            var pieces = try UploadPieces(request, limits: limits)
            while let piece = try await pieces.next() {
                guard case .field(let name, let value) = piece else {
                    throw ServerError(
                        .badRequest, "a photo cannot come with the text that publishes",
                        hint: "add it before: POST /v1/uploads/{id}/photos")
                }
                try fields.set(name, value)
            }
            return fields["text"]
        }
        let body = try await request.body.collect(upTo: UploadPieces.maxFieldBytes)
        guard body.readableBytes > 0 else { return fields["text"] }
        switch type {
        case "application/json": try fields.read(jsonObject: Data(body.readableBytesView))
        case "application/x-www-form-urlencoded": try fields.read(urlEncoded: String(buffer: body))
        default:
            throw ServerError(
                .unsupportedType,
                "a body of \(type.isEmpty ? "no type" : "the type \(type.prefix(80))") is not understood here",
                hint: "send application/json, {\"text\": \"…\"}, a form, or text in the query")
        }
        return fields["text"]
    }
}

extension FormFields {
    /// Takes in the members of a JSON object, which have to be texts.
    fileprivate mutating func read(jsonObject json: Data) throws(ServerError) {
        guard let members = try? JSONDecoder().decode([String: String?].self, from: json) else {
            throw ServerError(.badRequest, "the body is no JSON object with a text", hint: "{\"text\": \"…\"}")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { if let value { try set(name, value) } }
    }
}
