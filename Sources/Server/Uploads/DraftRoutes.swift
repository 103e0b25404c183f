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
        var form = try UploadForm(request)
        var pieces = try UploadPieces(request, limits: limits)
        let receiver = PhotoReceiver(pipeline: pipeline)
        guard let name = try await receiver.readFields(&pieces, into: &form) else {
            throw PipelineError(.emptyFile, "there is no photo", hint: "send a photo, raw or in the form field photo")
        }
        try await receiver.addPhotos(&pieces, firstName: name, to: record.id, form: &form)
        return try UploadAnswer(pipeline: pipeline).draft(try await self.record(context))
    }

    @Sendable private func publish(_ request: Request, _ context: DoorContext) async throws -> Response {
        let text = try await text(of: request)
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
        var fields = try FormFields(queryOf: request.uri)
        switch HeaderParameters(request.headers[.contentType] ?? "").value {
        case "application/json":
            let body = try await request.body.collect(upTo: UploadPieces.maxFieldBytes)
            if let text = try PublishBody(json: Data(body.readableBytesView)).text { try fields.set("text", text) }
        case "multipart/form-data":
            var pieces = try UploadPieces(request, limits: limits)
            while let piece = try await pieces.next() {
                guard case .field(let name, let value) = piece else {
                    throw ServerError(
                        .badRequest, "a photo cannot come with the text that publishes",
                        hint: "add it before: POST /v1/uploads/{id}/photos")
                }
                try fields.set(name, value)
            }
        default:
            let body = try await request.body.collect(upTo: UploadPieces.maxFieldBytes)
            try fields.merge(FormFields(urlEncoded: String(buffer: body)))
        }
        return fields["text"]
    }
}

/// The JSON by which a draft is published; fields that are not known are ignored.
private struct PublishBody: Decodable {
    let text: String?

    init(json: Data) throws(ServerError) {
        do {
            self = try JSONDecoder().decode(PublishBody.self, from: json)
        } catch {
            throw ServerError(.badRequest, "the body is no JSON object with a text", hint: "{\"text\": \"…\"}")
        }
    }
}
