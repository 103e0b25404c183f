import API
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
package import Tree

/// `/v1/posts/{id}/flags` and those of comments: reports of users for the attention of admins; `/v1/flags`: the list of
/// them.
package struct FlagRoutes: Sendable {
    private let flags: Flags

    package init(_ tree: TreeStore) { flags = Flags(tree) }

    package func add(to routes: inout RouteTable) {
        let post = Parameter.path("id", .postID)
        let comment = Parameter.path("comment", .text(upTo: TreeKey.maxBytes))
        for (prefix, parameters, subject, name) in [
            ("/v1/posts/{id}", [post], "a post", "Post"),
            ("/v1/posts/{id}/comments/{comment}", [post, comment], "a comment", "Comment"),
        ] {
            let answer = AnswerDescription.json(FlagDocument.self).withToken
            let errors: [ErrorCode] = [.permissionDenied, .notAllowed, .notFound]
            let flag = Endpoint(
                "flag\(name)", in: .moderation, "Set a user's flag on \(subject)",
                details: "Repeating it changes nothing.", parameters + [.path("uid", .userID), .idempotencyKey],
                answers: [answer], errors: errors + .ofKeys, run: add)
            let unflag = Endpoint(
                "unflag\(name)", in: .moderation, "Remove a user's flag from \(subject)",
                details: "Repeating it changes nothing.",
                parameters + [.path("uid", .userID), .idempotencyKey],
                answers: [answer], errors: errors + .ofKeys, run: remove)
            routes.add(prefix + "/flags/{uid}", [.put: flag, .delete: unflag])
            let dismiss = Endpoint(
                "dismiss\(name)Flags", in: .moderation, "Take \(subject) from the list of flagged ones, for good",
                details: "For admins.", parameters,
                answers: [.json(FlagDismissalDocument.self).withToken],
                errors: [.adminOnly, .notFound], run: dismiss)
            routes.add(prefix + "/flags", [.delete: dismiss])
        }
        let list = Endpoint(
            "listFlags", in: .moderation, "List the flagged posts and comments, except dismissed ones",
            details: "For admins.",
            [.query("order", .one(of: Flags.Order.self), "the order; `most` by default")]
                + .page(of: "posts and comments", from: "after"),
            answers: [.json(FlaggedPageDocument.self).withToken], errors: [.adminOnly], run: list)
        routes.add("/v1/flags", [.get: list])
    }

    @Sendable private func add(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (subject, uid) = (try subject(context), try flagger(context))
        let token = try await flags.add(by: uid, to: subject, as: try context.key(of: request))
        return try await answer(context, uid, subject, token)
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (subject, uid) = (try subject(context), try flagger(context))
        let token = try await flags.remove(by: uid, from: subject, as: try context.key(of: request))
        return try await answer(context, uid, subject, token)
    }

    @Sendable private func dismiss(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try context.admin(for: "dismissing flags")
        let token = try await flags.dismiss(try subject(context))
        return .json(
            FlagDismissalDocument(
                postID: try context.postID().description, commentID: try comment(context)?.string), at: token)
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try context.admin(for: "the list of what is flagged")
        let query = context.query
        guard let order = Flags.Order(rawValue: query["order"] ?? "most") else {
            throw Failure(.badRequest, "order=\(query["order"]?.prefix(80) ?? "") is neither most nor newest")
        }
        let (document, token) = try await flags.page(order, after: query["after"], limit: try query.pageLimit())
        return .json(document, at: token)
    }

    private func flagger(_ context: HTTPContext) throws(Failure) -> UserID {
        let uid = try context.user()
        try context.require(uid, for: "flag anything for another user")
        return uid
    }

    private func subject(_ context: HTTPContext) throws(Failure) -> FlagSubject {
        FlagSubject(post: try context.postID(), comment: try comment(context))
    }

    /// Returns the comment that a path names; nil if it names none.
    private func comment(_ context: HTTPContext) throws(Failure) -> TreeKey? {
        guard let text = context.parameters.get("comment") else { return nil }
        guard let decoded = PercentEncoding.decode(Substring(text).utf8), let key = try? TreeKey(decoded) else {
            throw Failure(.notFound, "the comment does not exist", hint: "It may have been deleted already.")
        }
        return key
    }

    private func answer(
        _ context: HTTPContext, _ uid: UserID, _ subject: FlagSubject, _ token: SyncToken
    ) async throws -> Response {
        .json(
            FlagDocument(
                postID: try context.postID().description, commentID: try comment(context)?.string,
                uid: uid.description, flagged: try await flags.has(by: uid, of: subject)), at: token)
    }
}
