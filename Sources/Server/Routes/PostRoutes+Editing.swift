import API
import Access
import HTTPTypes
import Hummingbird
import Model
import Requests
import Social
import Transport
import TreeModel
import Uploads

/// `PATCH /v1/posts/{id}`: the words of a post, and the order of its photos.
extension PostRoutes {
    /// The longest body, in bytes: enough for the words of a post with hundreds of photos.
    private static let maxBodyBytes = 1 << 20
    private static let example = #"{"text":"At the lake","photos":[{"number":1},{"number":0,"alt":"A jetty"}]}"#

    /// The endpoint.
    var edition: Endpoint {
        let nullable = Schema.any(.text, .null)
        let photo = Schema.object(
            ["number": .integer(0...Int(Int32.max)), "alt": nullable], required: ["number"]
        ).named("PostPhotoEdit")
        let body = Schema.object([
            "text": nullable, "mentions": .any(.mentions, .null), "photos": .any(.list(of: photo), .null),
            ClientTime.name: ClientTime.schema,
        ]).named("PostEdit")
        return Endpoint(
            "updatePost", in: .posts, "Change the words of a post, or the order of its photos",
            details: "For its author or an admin.",
            [
                .path("id", .postID), .idempotencyKey,
                .header("If-Match", .text, "the `ETag` of the post to change; by default the last edit wins"),
            ],
            body: ["application/json": body],
            answers: [.json(PostDocument.self).with(headers: "ETag", "Tintype-Token")],
            errors: [
                .permissionDenied, .notAllowed, .notConsented, .notFound, .badText, .badMention, .badTimestamp,
                .emptyPost,
                .preconditionFailed, .badReference, .keyReused, .moderationRefused, .moderationUnavailable,
                .unsupportedType, .tooLarge,
            ],
            run: edit)
    }

    @Sendable private func edit(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.postID()
        let (edit, content) = try await Self.edit(in: request, context)
        let seen = try await post(id, context)
        let key = try context.key(of: request, for: ["edit", id.description, content])
        let condition = request.headers[.ifMatch].flatMap(Self.etags).map {
            PostEdit.Condition(seen.path, hasOneOf: $0)
        }
        let token = try await publisher.editPost(id, edit, by: context.identity, if: condition, as: key)
        return try answer(try await post(id, context), id, at: token)
    }

    /// Returns the ETags of a condition (RFC 9110 §13.1.1), without their quotes; nil for `*`, which any post meets.
    ///
    /// A weak one counts as well: it is a strong one of this service behind a proxy that compresses.
    private static func etags(_ field: String) -> Set<String>? {
        let tags = field.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        guard tags != ["*"] else { return nil }
        return Set(
            tags.compactMap { tag in
                let strong = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
                guard strong.count >= 2, strong.first == "\"", strong.last == "\"" else { return nil }
                return String(strong.dropFirst().dropLast())
            })
    }

    // MARK: The body

    /// Parses the body; also returns what an idempotency key is bound to: all of it but the client time.
    private static func edit(
        in request: Request, _ context: HTTPContext
    ) async throws -> (edit: PostEdit, content: String) {
        var members = try await context.jsonObject(of: request, upTo: maxBodyBytes, example: example)
        let names = ["text", "mentions", "photos", ClientTime.name]
        if let unknown = members.keys.filter({ !names.contains($0) }).min() {
            throw Failure(
                .badRequest, "there is no field \"\(unknown.prefix(80))\" here",
                hint: "Use only these: \(names.joined(separator: ", ")).")
        }
        var edit = PostEdit()
        edit.clientTime = try ClientTime.read(members.removeValue(forKey: ClientTime.name))
        edit.text = try members["text"].map { try text($0, "text") }
        edit.mentions = try members["mentions"].map { try $0 == .null ? [] : MentionSpan.Claim.read($0) }
        if let photos = members["photos"], photos != .null { edit.photos = try self.photos(photos) }
        return (edit, String(decoding: JSONValue.object(members).text, as: UTF8.self))
    }

    /// Returns a text; empty for null, which removes it.
    private static func text(_ value: JSONValue, _ name: String) throws(Failure) -> String {
        if value == .null { return "" }
        guard let text = value.string else {
            throw Failure(.badRequest, "\(name) is not a text", hint: "Write it as \(example).")
        }
        return text
    }

    private static func photos(_ value: JSONValue) throws(Failure) -> [PostEdit.Photo] {
        guard case .list(let elements) = value else {
            throw Failure(.badRequest, "photos is not a list", hint: "Write it as \(example).")
        }
        var photos: [PostEdit.Photo] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element, members.keys.allSatisfy(["number", "alt"].contains),
                let number = members["number"]?.integer
            else {
                throw Failure(
                    .badRequest, "photos/\(index) is not a photo",
                    hint: "Give it its number, and its alt if that changes: \(example).")
            }
            var alt: String?
            if let given = members["alt"] { alt = try text(given, "photos/\(index)/alt") }
            photos.append(PostEdit.Photo(number: number, alt: alt))
        }
        return photos
    }
}
