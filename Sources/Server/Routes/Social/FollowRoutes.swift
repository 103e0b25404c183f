import API
import Access
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Social
package import Tree

/// `/v1/people/{uid}/following`, `followers` and `blocking`: the follows and blocks among people.
package struct FollowRoutes: Sendable {
    private let follows: Follows
    private let blocks: Blocks
    private let database: RealtimeDatabase

    package init(_ tree: TreeStore, _ database: RealtimeDatabase) {
        follows = Follows(tree)
        blocks = Blocks(tree)
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let uid = Parameter.path("uid", .userID)
        let page = [uid] + .page(of: "people", from: "after")
        func list(
            _ name: String, _ summary: String, details: String = "", _ errors: [ErrorCode], _ run: @escaping Handler
        ) -> [HTTPRequest.Method: Endpoint] {
            let answer = AnswerDescription.json(PeoplePageDocument.self).withToken
            return [
                .get: Endpoint(
                    name, in: .people, summary, details: details, page, answers: [answer], errors: errors, run: run)
            ]
        }
        routes.add(
            "/v1/people/{uid}/following",
            list(
                "listFollowing", "List the people whom a person follows", [.permissionDenied, .notFound], listFollowing)
        )
        routes.add(
            "/v1/people/{uid}/followers",
            list("listFollowers", "List the followers of a person", [.permissionDenied, .notFound], listFollowers))
        let errors: [ErrorCode] = [.permissionDenied, .notAllowed, .notFound]
        routes.add(
            "/v1/people/{uid}/blocking",
            list(
                "listBlocked", "List the people whom a person has blocked", details: "For that person or an admin.",
                errors,
                listBlocked))

        let followed = AnswerDescription.json(FollowDocument.self).withToken
        let pair = [uid, Parameter.path("followee", .userID), .idempotencyKey]
        let writeErrors = errors + .ofKeys
        let follow = Endpoint(
            "followPerson", in: .people, "Follow a person", details: "For the follower or an admin.", pair,
            answers: [followed],
            errors: writeErrors + [.blocked, .notConsented, .oneself]
        ) { request, context in try await self.follow(request, context, true) }
        let unfollow = Endpoint(
            "unfollowPerson", in: .people, "Unfollow a person", details: "For the follower or an admin.", pair,
            answers: [followed],
            errors: writeErrors
        ) { request, context in try await self.follow(request, context, false) }
        routes.add("/v1/people/{uid}/following/{followee}", [.put: follow, .delete: unfollow])

        let blocked = AnswerDescription.json(BlockDocument.self).withToken
        let others = [uid, Parameter.path("blocked", .userID), .idempotencyKey]
        let block = Endpoint(
            "blockPerson", in: .people, "Block a person, which ends the follows between the two",
            details: "For the blocker or an admin.", others,
            answers: [blocked], errors: writeErrors + [.oneself]
        ) { request, context in try await self.block(request, context, true) }
        let unblock = Endpoint(
            "unblockPerson", in: .people, "Unblock a person", details: "For the blocker or an admin.", others,
            answers: [blocked],
            errors: writeErrors
        ) { request, context in try await self.block(request, context, false) }
        routes.add("/v1/people/{uid}/blocking/{blocked}", [.put: block, .delete: unblock])
    }

    @Sendable private func listFollowing(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        let (cursor, limit) = (try context.query.peopleCursor(), try context.query.pageLimit())
        try await judgeReads(of: [PeopleNodes.following(uid), PeopleNodes.person()], context)
        guard let people = try await follows.following(uid, after: cursor, limit: limit) else {
            throw Failure.noSuchPerson
        }
        return .page(people)
    }

    @Sendable private func listFollowers(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        let (cursor, limit) = (try context.query.peopleCursor(), try context.query.pageLimit())
        try await judgeReads(of: [PeopleNodes.follower(uid), PeopleNodes.person()], context)
        guard let people = try await follows.followers(of: uid, after: cursor, limit: limit) else {
            throw Failure.noSuchPerson
        }
        return .page(people)
    }

    @Sendable private func listBlocked(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        let (cursor, limit) = (try context.query.peopleCursor(), try context.query.pageLimit())
        try context.require(uid, for: "see whom another user has blocked")
        return .page(try await blocks.blocked(by: uid, after: cursor, limit: limit))
    }

    /// Checks that the requester may read the paths: a list, and the people on it.
    private func judgeReads(of paths: [TreePath], _ context: HTTPContext) async throws {
        let session = database.session(as: context.identity)
        for path in paths { try await session.judgeRead(of: path) }
    }

    private func follow(_ request: Request, _ context: HTTPContext, _ isFollowing: Bool) async throws -> Response {
        let (follower, followee) = (try context.user(), try context.user(in: "followee"))
        try context.require(follower, for: "follow people for another user")
        let key = try context.key(of: request)
        let token =
            isFollowing
            ? try await follows.follow(follower, followee, as: key)
            : try await follows.unfollow(follower, followee, as: key)
        let times = try await follows.times(of: follower, followee)
        var document = FollowDocument(follower.description, followee.description, isFollowing: times != nil)
        (document.created, document.updated) = (times?.created?.milliseconds, times?.updated?.milliseconds)
        return .json(document, at: token)
    }

    private func block(_ request: Request, _ context: HTTPContext, _ isBlocking: Bool) async throws -> Response {
        let (blocker, blocked) = (try context.user(), try context.user(in: "blocked"))
        try context.require(blocker, for: "block people for another user")
        let key = try context.key(of: request)
        let token =
            isBlocking
            ? try await blocks.block(blocker, blocked, as: key) : try await blocks.unblock(blocker, blocked, as: key)
        let times = try await blocks.times(of: blocker, blocked)
        var document = BlockDocument(blocker.description, blocked.description, isBlocking: times != nil)
        (document.created, document.updated) = (times?.created?.milliseconds, times?.updated?.milliseconds)
        return .json(document, at: token)
    }
}
