import API
import Access
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
package import Tree

/// `/v1/posts/{id}/likes`: the likes of a post; `/v1/people/{uid}/likes`: the posts that a person likes.
package struct LikeRoutes: Sendable {
    private let likes: Likes
    private let media: MediaAccess
    private let database: RealtimeDatabase

    package init(_ tree: TreeStore, _ media: MediaAccess, _ database: RealtimeDatabase) {
        likes = Likes(tree)
        self.media = media
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let (post, person) = (Parameter.path("id", .postID), Parameter.path("uid", .userID))
        let answer = AnswerDescription.json(LikeDocument.self).withToken
        let errors: [ErrorCode] =
            [
                .permissionDenied, .notAllowed, .notConsented, .blocked, .audiencePost, .notFound,
            ] + .ofKeys
        let like = Endpoint(
            "likePost", in: .likes, "Like a post", details: "Repeating it changes nothing.",
            [post, person, .idempotencyKey], answers: [answer],
            errors: errors, run: add)
        let unlike = Endpoint(
            "unlikePost", in: .likes, "Remove a person's like of a post", details: "Repeating it changes nothing.",
            [post, person, .idempotencyKey], answers: [answer],
            errors: errors, run: remove)
        routes.add("/v1/posts/{id}/likes/{uid}", [.put: like, .delete: unlike])
        let list = Endpoint(
            "listLikes", in: .likes, "List the people who like a post, in the order of their ids",
            [post] + .page(of: "people", from: "after"), answers: [.json(LikePageDocument.self).withToken],
            errors: [.permissionDenied, .notFound], run: listPeople)
        routes.add("/v1/posts/{id}/likes", [.get: list])
        let listOfPerson = Endpoint(
            "listLikedPosts", in: .likes, "List the posts that a person likes, the newest first",
            [person] + .page(of: "posts", from: "before"), answers: [.json(PostPageDocument.self).withToken],
            errors: [.permissionDenied, .notFound], run: listPosts)
        routes.add("/v1/people/{uid}/likes", [.get: listOfPerson])
    }

    @Sendable private func add(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try liker(context)
        let id = try context.postID()
        return answer(id, uid, try await likes.add(by: uid, to: id, as: try context.key(of: request)))
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try liker(context)
        let id = try context.postID()
        return answer(id, uid, try await likes.remove(by: uid, from: id, as: try context.key(of: request)))
    }

    private func liker(_ context: HTTPContext) throws(Failure) -> UserID {
        let uid = try context.user()
        try context.require(uid, for: "like posts for another user")
        return uid
    }

    private func answer(_ id: PostID, _ uid: UserID, _ outcome: Likes.Outcome) -> Response {
        var document = LikeDocument(
            postID: id.description, uid: uid.description, liked: outcome.isLiked, likes: outcome.count)
        let times = outcome.times
        (document.created, document.updated) = (times.created?.milliseconds, times.updated?.milliseconds)
        return .json(document, at: outcome.token)
    }

    @Sendable private func listPeople(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let id = try context.postID()
        let (cursor, limit) = (try context.query.pageCursor("after"), try context.query.pageLimit())
        try await database.session(as: context.identity).judgeRead(of: ReactionNodes.like(id))
        let page = try await likes.page(
            of: id, for: context.viewer, after: cursor, limit: limit,
            isNaming: try await context.mayRead(PeopleNodes.person(), in: database))
        let people = page.people.map { liker in
            var person = LikePageDocument.Person(
                uid: liker.key.string, fullName: liker.fullName, profilePicture: liker.profilePicture,
                timestamp: liker.timestamp?.milliseconds)
            (person.created, person.updated) = (liker.times.created?.milliseconds, liker.times.updated?.milliseconds)
            return person
        }
        return .json(LikePageDocument(people: people, likes: page.count, next: page.next?.string), at: page.token)
    }

    @Sendable private func listPosts(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        let (cursor, limit) = (try context.query.pageCursor("before"), try context.query.pageLimit())
        let session = database.session(as: context.identity)
        for path in [ReactionNodes.like(), PostNodes.post()] { try await session.judgeRead(of: path) }
        let viewer = context.viewer
        let page = try await likes.posts(likedBy: uid, for: viewer, before: cursor, limit: limit)
        var document = PostPageDocument()
        document.posts = page.items.map {
            PostDocument(media.signed($0.record.shown(withID: $0.id, $0.times), id: $0.id))
        }
        document.hasMore = page.hasMore
        document.next = page.next?.string
        if !page.skipped.isEmpty {
            document.skipped = page.skipped.map { PostPageDocument.Skipped(path: "posts/\($0.id)", reason: $0.fault) }
        }
        return .page(document, at: page.token)
    }
}
