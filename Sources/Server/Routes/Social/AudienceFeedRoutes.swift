import API
import Access
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
package import Tree
import Uploads

/// The posts of an audience, and of all audiences of a person.
package struct AudienceFeedRoutes: Sendable {
    private let tree: TreeStore
    private let media: MediaAccess
    private let database: RealtimeDatabase

    package init(_ tree: TreeStore, _ media: MediaAccess, _ database: RealtimeDatabase) {
        self.tree = tree
        self.media = media
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let page = [Parameter].page(of: "posts", from: "before")
        let answers = [AnswerDescription.json(PostPageDocument.self).withToken]
        let errors: [ErrorCode] = [.permissionDenied, .notAllowed, .notMember, .notFound]
        let list = Endpoint(
            "listAudiencePosts", in: .audiences, "List the newest posts of an audience", details: "For its members.",
            [.path("id", .userID)] + page, answers: answers,
            errors: errors, run: listOfAudience)
        routes.add("/v1/audiences/{id}/posts", [.get: list])
        let remove = Endpoint(
            "removeAudiencePost", in: .audiences, "Remove a post from an audience",
            details: "A post without an audience is deleted. For owners, and for the post's author.",
            [.path("id", .userID), .path("post", .postID)],
            answers: [.json(AudiencePostRemovalDocument.self).withToken], errors: errors,
            run: remove)
        routes.add("/v1/audiences/{id}/posts/{post}", [.delete: remove])
        let stories = Endpoint(
            "listStories", in: .audiences, "List the newest posts of all audiences of a person",
            details: "For that person or an admin.",
            [.path("uid", .userID)] + page, answers: answers, errors: errors, run: listOfPerson)
        routes.add("/v1/people/{uid}/stories", [.get: stories])
    }

    @Sendable private func listOfAudience(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.audience
        try await context.requireRead(AudienceNodes.story(id), of: id, in: database)
        guard try await tree.snapshot({ try $0.exists(AudienceNodes.audience(id)) }) else {
            throw Failure.noAudience(id)
        }
        return try await list(.story(id), for: context.viewer, context)
    }

    @Sendable private func listOfPerson(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "read another user's stories")
        return try await list(.stories(uid), for: uid, context)
    }

    private func list(_ list: FeedList, for viewer: UserID?, _ context: HTTPContext) async throws -> Response {
        let limit = try context.query.pageLimit()
        let cursor = context.query["before"].flatMap { PostPosition(cursor: $0) }
        guard cursor != nil || context.query["before"] == nil else {
            throw Failure(.badRequest, "before is not a cursor", hint: "Use \"next\" of the page before.")
        }
        let page = try await FeedReader(tree).page(
            of: list, before: cursor, limit: limit, .ofAudiences(for: viewer))
        var document = PostPageDocument(page, media, isForAudiences: true)
        if !page.isComplete { document.complete = false }
        return .page(document, at: page.token)
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (id, actor) = (try context.audience, try context.audienceActor)
        guard let post = PostID(context.parameters.get("post") ?? "") else {
            throw Failure(.notFound, "there is no such post", hint: "List them with GET /v1/audiences/{id}/posts.")
        }
        let (isDeleted, token) = try await Audiences(tree).removePost(post, from: id, by: actor)
        return .json(
            AudiencePostRemovalDocument(audience: id.description, postID: post.description, deleted: isDeleted),
            at: token)
    }
}
