import API
import Foundation
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
package import Store
import Transport
import Tree
import TreeModel
package import Uploads

/// The two steps of an upload screen: photos are added to a draft one by one, then the draft is published with its
/// text.
package struct DraftRoutes: Sendable {
    private let uploads: UploadReceiver
    private let disk: DiskMonitor
    private let response: UploadResponse
    private let limits: BodyLimits

    package init(_ uploads: UploadReceiver, _ disk: DiskMonitor, _ response: UploadResponse, limits: BodyLimits) {
        (self.uploads, self.disk, self.response, self.limits) = (uploads, disk, response, limits)
    }

    /// The endpoint `POST /v1/uploads/{id}/photos`.
    var addition: Endpoint {
        Endpoint(
            "addPhotos", in: .uploads, "Add photos to a draft", access: .person,
            [
                .path("id", .postID), .query("name", .text, "the file name of a photo that is the body itself"),
                .query("alt", .text(upTo: PostText.maxAltCharacters), "the alternative text of that photo"),
            ],
            body: UploadForm.body, needsBody: false,
            answers: [.json(UploadDocument.self, .created).with(headers: "Location")],
            errors: UploadForm.errors + [.notFound, .uploadExpired], run: addPhotos)
    }

    /// The endpoint `POST /v1/uploads/{id}/publish`. It also accepts a form of several parts; two forms with the same
    /// fields would be one type in generated clients, which could not send either.
    var publication: Endpoint {
        let alts = Schema.any(.text, .list(of: .text))
        let fields = Schema.object([
            "text": .text, "mentions": .text, "alt": alts, "photos": .text, "client_timestamp": .text,
        ])
        .named("DraftPublicationForm")
        let json = Schema.object([
            "text": .text, "mentions": .mentions, "alt": alts, "photos": .list(of: .integer(0...Int.max)),
            "client_timestamp": ClientTime.schema,
        ]).named("DraftPublication")
        return Endpoint(
            "publishDraft", in: .uploads, "Publish a draft", access: .person,
            [
                .path("id", .postID),
                .query("text", .text(upTo: PostText.maxCharacters), "the text, if it has changed"),
                .query("mentions", .text, "the mentions in the text, as JSON"),
                .list("alt", .text(upTo: PostText.maxAltCharacters), "the photos' alternative texts, in their order"),
                .query("photos", .text, "the numbers of the photos to keep, in their order, separated by spaces"),
                .query("client_timestamp", ClientTime.schema, ClientTime.details),
                .header("Prefer", .text, "`respond-async` answers before the post is published"),
            ],
            body: ["application/json": json, "application/x-www-form-urlencoded": fields], needsBody: false,
            answers: [
                .json(PublishedDocument.self, .created).with(headers: "Location"),
                .json(PublishedDocument.self).with(headers: "Location"),
                .json(UploadDocument.self, .accepted).with(headers: "Location"),
            ],
            errors: UploadForm.errors + [.notFound, .uploadExpired, .emptyPost, .duplicate], run: publish)
    }

    @Sendable private func addPhotos(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try disk.gate.check()
        let upload = try context.begin(.upload)
        defer { withExtendedLifetime(upload) {} }
        let id = try await record(context).id
        var form = UploadForm(request, context)
        var pieces = try UploadPieces(context.asking(request), photoName: form.photoName, limits: limits)
        let receiver = PhotoReceiver(uploads: uploads)
        guard let first = try await receiver.readFields(&pieces, into: &form) else {
            throw Failure(.emptyFile, "there is no photo", hint: "Send a photo, raw or in the form field photo.")
        }
        var session = try await uploads.resumeDraft(id)
        try await receiver.receivePhotos(&pieces, first: first, into: &session, form: &form)
        return response.draft(try await self.record(context))
    }

    @Sendable private func publish(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let fields = try await fields(of: context.asking(request), context)
        let (text, mentions) = (fields["text"], try UploadForm.mentions(in: fields))
        let (alts, photos) = (fields.list("alt"), try fields.photoNumbers())
        let clientTime = try ClientTime.read(fields["client_timestamp"])
        let record = try await record(context)
        do {
            _ = try await uploads.store.drafts.publish(
                record.id, text: text, mentions: mentions, alts: alts, photos: photos, at: clientTime)
        } catch let error as Failure where error.code == .wrongState {
            // A client that lost the first response and repeats the request receives it again.
            let now = try await self.record(context)
            var asked = now
            try asked.arrange(photos)
            try asked.describe(text: text, mentions: mentions, alts: alts)
            guard [.ingested, .published].contains(now.state), asked.text == now.text,
                asked.mentions == now.mentions, asked.photos == now.photos
            else { throw error }
        }
        return try await response.outcome(of: try await self.record(context), for: request)
    }

    /// Returns the draft of an address, or its later state, if it belongs to the requester.
    ///
    /// - Throws: `Failure`: `not_found`; `upload_expired`.
    func record(_ context: HTTPContext) async throws -> UploadRecord {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await uploads.store.record(of: id),
            context.identity.owns(record)
        else {
            throw Failure(.notFound, "the draft does not exist", hint: "Reserve one with POST /v1/uploads?draft=true.")
        }
        guard record.state != .expired else {
            throw Failure(.uploadExpired, "the draft was idle for too long", hint: "Begin again.")
        }
        return record
    }

    /// Reads the fields of the query, a form or a JSON object: the text, if it replaces the draft's own, and
    /// alternative texts.
    private func fields(of request: Request, _ context: HTTPContext) async throws -> RequestFields {
        var fields = context.query
        let type = HeaderParameters(request.headers[.contentType] ?? "").value
        if type == "multipart/form-data" {
            var pieces = try UploadPieces(request, limits: limits)
            while let piece = try await pieces.next() {
                guard case .field(let name, let value) = piece else {
                    throw Failure(
                        .badRequest, "a photo cannot be sent with the text that publishes",
                        hint: "Add it first with POST /v1/uploads/{id}/photos.")
                }
                try fields.set(name, value)
            }
            return fields
        }
        let body = try await request.body.collect(upTo: UploadPieces.maxFieldBytes)
        guard body.readableBytes > 0 else { return fields }
        switch type {
        case "application/json": try fields.read(jsonObject: Data(body.readableBytesView))
        case "application/x-www-form-urlencoded": try fields.read(urlEncoded: String(buffer: body))
        default:
            throw Failure(
                .unsupportedType,
                "a body of \(type.isEmpty ? "no type" : "the type \(type.prefix(80))") is not supported here",
                hint: "Send application/json, {\"text\": \"…\"}, a form, or text in the query.")
        }
        return fields
    }
}

extension RequestFields {
    /// A member of a JSON object: a text, a list of texts, or mentions.
    private enum Member: Decodable {
        case one(String)
        case several([String])
        case other(JSONValue)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .one(text)
            } else if let texts = try? container.decode([String].self) {
                self = .several(texts)
            } else {
                self = .other(try container.decode(JSONValue.self))
            }
        }
    }

    /// Returns the numbers of the photos to keep in the post, in its order; nil if they are not specified.
    ///
    /// - Throws: `Failure` `bad_request` for malformed numbers.
    fileprivate func photoNumbers() throws(Failure) -> [Int]? {
        guard let text = self["photos"] else { return nil }
        let words = text.split { $0 == " " || $0 == "," }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == words.count else {
            throw Failure(
                .badRequest, "photos is not a list of numbers", hint: "Give numbers from the draft's document.")
        }
        return numbers
    }

    /// Adds the members of a JSON object, which must be texts, lists of texts where several may be given, or mentions.
    fileprivate mutating func read(jsonObject json: Data) throws(Failure) {
        guard let members = try? JSONDecoder().decode([String: Member?].self, from: json) else {
            throw Failure(
                .badRequest, "the body is not a JSON object with a text",
                hint: "Write it as {\"text\": \"…\", \"alt\": [\"…\"]}.")
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            switch member {
            case .one(let value): try set(name, value)
            case .several([]) where name == "mentions": try set(name, "[]")
            case .several([]) where name == "photos": try set(name, "")
            case .several(let values): try set(name, list: values)
            case .other(.list(let numbers)) where name == "photos":
                try set(name, numbers.map { String(decoding: $0.json(), as: UTF8.self) }.joined(separator: " "))
            case .other(let value):
                guard name == "mentions" || name == "client_timestamp" else {
                    throw Failure(
                        .badRequest, "\(name.prefix(80)) is neither a text nor a list of texts",
                        hint: "Write it as {\"text\": \"…\", \"alt\": [\"…\"]}.")
                }
                try set(name, String(decoding: value.json(), as: UTF8.self))
            case nil: break
            }
        }
    }
}
