import API
package import Database
import DatabaseHTTP
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
import Transport
package import Tree
import TreeModel

/// `/v1/posts/{id}/comments`: the comments on a post.
package struct CommentRoutes: Sendable {
    /// The longest body, in bytes: enough for 1,999 characters and their mentions in JSON.
    private static let maxBodyBytes = 256 << 10

    private let comments: Comments
    private let database: RealtimeDatabase

    package init(_ tree: TreeStore, ids: PushIDGenerator, _ database: RealtimeDatabase) {
        comments = Comments(tree, ids: ids)
        self.database = database
    }

    /// The order of comments.
    private enum Order: String, CaseIterable {
        case oldest
        case newest
    }

    package func add(to routes: inout RouteTable) {
        let post = Parameter.path("id", .postID)
        let comment = Parameter.path("comment", .text(upTo: TreeKey.maxBytes))
        let answer = AnswerDescription.json(CommentDocument.self).withToken
        let refusals: [ErrorCode] = [
            .permissionDenied, .notAllowed, .notConsented, .blocked, .audiencePost, .notFound, .badUser, .badText,
            .badMention, .badTimestamp, .unsupportedType, .tooLarge,
        ]
        let list = Endpoint(
            "listComments", in: .comments, "List the comments on a post",
            [
                post, .query("limit", .integer(1...PageSize.max), "the largest number of comments"),
                .query("order", .one(of: Order.self), "the oldest or the newest first"),
                .query("after", .text, "only later ones: the `next` of the page before, the oldest first"),
                .query("before", .text, "only earlier ones: the `next` of the page before, the newest first"),
            ], answers: [.json(CommentPageDocument.self).withToken],
            errors: [.permissionDenied, .notFound], run: list)
        let add = Endpoint(
            "createComment", in: .comments, "Comment on a post, as the authenticated user", [post, .idempotencyKey],
            body: Self.body,
            answers: [.json(CommentDocument.self, .created).with(headers: "Location", "Tintype-Token")],
            errors: refusals + .ofKeys + [.deleted], run: add)
        routes.add("/v1/posts/{id}/comments", [.get: list, .post: add])
        let show = Endpoint(
            "getComment", in: .comments, "Get a comment", [post, comment], answers: [.json(CommentDocument.self)],
            errors: [.permissionDenied, .notFound], run: show)
        let edit = Endpoint(
            "updateComment", in: .comments, "Change the text of a comment, and its mentions",
            details: "For its author.", [post, comment, .idempotencyKey], body: Self.body,
            answers: [answer], errors: refusals + .ofKeys + [.deleted], run: edit)
        let remove = Endpoint(
            "deleteComment", in: .comments, "Delete a comment",
            details: "For its author, for the post's author, or for an admin.", [post, comment, .idempotencyKey],
            answers: [.json(CommentDeletionDocument.self).withToken],
            errors: [.permissionDenied, .notAllowed, .notFound] + .ofKeys, run: remove)
        routes.add("/v1/posts/{id}/comments/{comment}", [.get: show, .patch: edit, .delete: remove])
    }

    // MARK: Writing

    @Sendable private func add(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, uid) = (try context.postID(), try context.actor)
        let (text, clientTime) = try await Self.text(of: request, context)
        let key = try context.key(of: request, for: ["comment", id.description] + Self.words(of: text))
        let (comment, token) = try await comments.add(text, by: uid, to: id, at: clientTime, as: key)
        return .json(
            CommentDocument(comment), status: .created,
            headers: [
                .location: "/v1/posts/\(id)/comments/\(comment.id)", .tintypeToken: token.description,
            ])
    }

    @Sendable private func edit(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, key, uid) = (try context.postID(), try Self.commentKey(context), try context.actor)
        let (text, clientTime) = try await Self.text(of: request, context)
        let requestKey = try context.key(
            of: request, for: ["comment edit", id.description, key.string] + Self.words(of: text))
        let (comment, token) = try await comments.edit(key, on: id, to: text, by: uid, at: clientTime, as: requestKey)
        return .json(CommentDocument(comment), at: token)
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, key) = (try context.postID(), try Self.commentKey(context))
        let token = try await comments.remove(
            key, from: id, by: context.identity, as: try context.key(of: request))
        return .json(CommentDeletionDocument(postID: id.description, commentID: key.string), at: token)
    }

    // MARK: Reading

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, key) = (try context.postID(), try Self.commentKey(context))
        try await database.session(as: context.identity).judgeRead(of: ReactionNodes.comment(id) / key)
        return .json(CommentDocument(try await comments.comment(key, on: id, for: context.viewer)))
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, query) = (try context.postID(), context.query)
        let order = try query["order"].map { text throws(Failure) in
            guard let order = Order(rawValue: text) else {
                throw Failure(.badRequest, "order=\(text.prefix(80)) is neither oldest nor newest")
            }
            return order
        }
        let selection = CommentPage.Selection(
            for: context.viewer, after: try query.pageCursor("after"), before: try query.pageCursor("before"),
            isNewestFirst: order == .newest, limit: try query.pageLimit())
        try await database.session(as: context.identity).judgeRead(of: ReactionNodes.comment(id))
        let page = try await comments.page(of: id, selection)
        let skipped = page.skipped.map {
            CommentPageDocument.Skipped(path: "comments/\(id)/\($0.id)", reason: $0.fault)
        }
        return .json(
            CommentPageDocument(
                comments: page.comments.map(CommentDocument.init), next: page.next?.string, skipped: skipped),
            at: page.token)
    }

    /// Returns the key of the comment in the path; clients of the database choose ids of their own.
    private static func commentKey(_ context: HTTPContext) throws(Failure) -> TreeKey {
        let text = PercentEncoding.decode(Substring(context.parameters.get("comment") ?? "").utf8)
        guard let key = try? TreeKey(text ?? "") else {
            throw Failure(.notFound, "the comment does not exist", hint: "List them with GET /v1/posts/{id}/comments.")
        }
        return key
    }
}

// MARK: - The body

extension CommentRoutes {
    private static let body: [String: Schema] = [
        "application/json": .object(
            ["text": .text, "mentions": .mentions, "client_timestamp": ClientTime.schema], required: ["text"]
        ).named("CommentText")
    ]
    private static let example = #"{"text":"Hello @Ann","mentions":[{"uid":"ann","start":6,"length":4}]}"#

    /// Parses the text of a comment, and the client time.
    private static func text(
        of request: Request, _ context: HTTPContext
    ) async throws -> (text: CommentText, clientTime: Timestamp?) {
        let members = try await context.jsonMembers(
            ["text", "mentions", ClientTime.name], of: request, upTo: maxBodyBytes, example: example)
        guard let text = members["text"]?.string else {
            throw Failure(.badRequest, "the body has no text", hint: "Write it as \(example).")
        }
        let comment = try CommentText(text, mentions: try members["mentions"].map(MentionSpan.Claim.read) ?? [])
        return (comment, try ClientTime.read(members[ClientTime.name]))
    }

    /// Returns the words of a text and its mentions to which the key of a request is bound.
    private static func words(of text: CommentText) -> [String] {
        [text.text] + text.mentions.map { "\($0.uid) \($0.start) \($0.length)" }
    }
}

extension CommentDocument {
    fileprivate init(_ comment: Comment) {
        self.init(
            postID: comment.post.description, commentID: comment.id.string,
            author: Author(uid: comment.author, fullName: comment.fullName, profilePicture: comment.profilePicture),
            text: comment.text, timestamp: comment.timestamp.milliseconds, edited: comment.edited?.milliseconds,
            mentions: comment.mentions.map {
                MentionDocument(
                    uid: $0.uid.description, start: $0.start, length: $0.length, characterStart: $0.characterStart,
                    characterLength: $0.characterLength)
            }, created: comment.times.created?.milliseconds, updated: comment.times.updated?.milliseconds)
        clientTimestamp = comment.clientTimestamp?.milliseconds
        clientEdited = comment.clientEdited?.milliseconds
    }
}
