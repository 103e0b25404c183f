import API
import Access
package import Database
import HTTPTypes
import Hummingbird
import Keeping
import Logging
import Model
package import Requests
package import Social
package import Tree
package import Uploads

/// The lists of posts: all, a person's, a hashtag's, and a person's home feed.
package struct FeedRoutes: Sendable {
    private let tree: TreeStore
    private let tasks: FollowUpTaskWorker
    private let index: PhotoIndex
    private let media: MediaAccess
    private let lists: FeedLists
    private let events: EventResponder

    package init(
        _ tree: TreeStore, tasks: FollowUpTaskWorker, index: PhotoIndex, _ media: MediaAccess,
        _ database: RealtimeDatabase,
        _ events: EventResponder
    ) {
        (self.tree, self.tasks, self.index, self.events) = (tree, tasks, index, events)
        self.media = media
        lists = FeedLists(tree, database)
    }

    package func add(to routes: inout RouteTable) {
        let page = [Parameter].page(of: "posts", from: "before")
        let answers = [AnswerDescription.json(PostPageDocument.self).withToken]
        let list = Endpoint(
            "listPosts", in: .posts, "List the newest posts", page, answers: answers,
            errors: [.permissionDenied], run: listAll)
        routes.add("/v1/posts", [.get: list])
        let hashes = Parameter.query(
            "sha256", .text(matching: "^[0-9a-f]{64}( [0-9a-f]{64})*$"), "only the post that shows exactly these photos"
        )
        let listOfPerson = Endpoint(
            "listPersonPosts", in: .posts, "List the newest posts of a person", [.path("uid", .userID), hashes] + page,
            answers: answers,
            errors: [.permissionDenied, .notFound], run: listOfPerson)
        routes.add("/v1/people/{uid}/posts", [.get: listOfPerson])
        let home = Endpoint(
            "getFeed", in: .people, "List the posts of a person's home feed",
            details: "It has the posts of the person and of the people that they follow, the newest first.",
            [.path("uid", .userID)] + page, answers: answers, errors: [.notAllowed, .notFound], run: listHome)
        routes.add("/v1/people/{uid}/feed", [.get: home])
        let follow = Endpoint(
            "watchFeed", in: .people, "Watch the changes of a home feed, as server-sent events",
            [.path("uid", .userID)] + EventID.parameters,
            answers: [
                .events(.any(.document(PostEventDocument.self), .document(AuthorEventDocument.self)).named("FeedEvent"))
            ],
            errors: [.notAllowed, .notFound, .tokenTooOld, .tokenUnknown], run: followHome)
        routes.add("/v1/people/{uid}/feed/events", [.get: follow])
        let hashtag = Endpoint(
            "listHashtagPosts", in: .posts, "List the newest posts with a hashtag", [.path("tag", .text)] + page,
            answers: answers, errors: [.permissionDenied, .notFound], run: listOfHashtag)
        routes.add("/v1/hashtags/{tag}/posts", [.get: hashtag])
    }

    // MARK: Lists

    @Sendable private func listAll(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await list(try await lists.all(context), context)
    }

    @Sendable private func listOfPerson(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (uid, list) = try await lists.person(context)
        guard let hashes = context.query["sha256"] else { return try await self.list(list, context) }
        // The values are unused here, but invalid ones are refused.
        _ = (try context.query.pageLimit(), try await lists.cursor(context.query["before"]))
        let id = try await post(of: uid, showing: hashes.split(separator: " ").map(String.init))
        return answer(try await FeedReader(tree).page(of: id, try await lists.view(context)))
    }

    /// Returns a person's home feed, for the person or an admin.
    @Sendable private func listHome(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "read another user's feed")
        try await lists.require(PostNodes.post(), context)
        let (limit, cursor) = (try context.query.pageLimit(), try await lists.cursor(context.query["before"]))
        var view = try await lists.view(context)
        view.viewer = uid
        let feed = HomeFeed(tree, tasks: tasks)
        let (page, upkeep) = try await feed.page(of: uid, before: cursor, limit: limit, view)
        if let upkeep {
            context.followUp.set { [logger = context.logger] in await feed.write(upkeep, or: logger) }
        }
        return answer(page, isComplete: page.isComplete)
    }

    /// Returns the events of a home feed, for the person or an admin.
    ///
    /// - Throws: `Failure` with the code `token_too_old` or `token_unknown` if the change log cannot continue after the
    ///   event.
    @Sendable private func followHome(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let uid = try context.user()
        try context.require(uid, for: "follow another user's feed")
        let start = try EventID.requested(by: request, context.query)
        let source = FeedEventSource(
            HomeFeedEvents(of: uid, in: tree), media,
            requireReading: { try await lists.require(PostNodes.post(), context) },
            view: { try await lists.view(context) })
        try await source.judge()
        do {
            if let start { _ = try await source.changes(since: start.before) }
        } catch let error as TreeError where error.code == .tokenTooOld || error.code == .tokenUnknown {
            throw Failure(
                ErrorCode(named: error.code.rawValue), error.message,
                hint: "Read the feed again, and continue at the header Tintype-Token of its first page.")
        }
        return try await events.response(of: source, since: start, to: request, context)
    }

    @Sendable private func listOfHashtag(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await list(try await lists.hashtag(context).list, context)
    }

    /// Returns the person's post that shows exactly the photos with these hashes; nil for none.
    private func post(of uid: UserID, showing hashes: [String]) async throws -> PostID? {
        let digits = Set("0123456789abcdef".utf8)
        guard !hashes.isEmpty, hashes.allSatisfy({ $0.utf8.count == 64 && $0.utf8.allSatisfy(digits.contains) }) else {
            throw Failure(
                .badRequest, "sha256 is not the SHA-256 of a photo",
                hint: "Write 64 hexadecimal digits in lower case. Separate several photos by spaces.")
        }
        return try await index.post(of: uid, showing: hashes)
    }

    private func list(_ list: FeedList, _ context: HTTPContext) async throws -> Response {
        let limit = try context.query.pageLimit()
        return answer(try await lists.page(of: list, before: context.query["before"], limit: limit, context))
    }

    // MARK: Responses

    /// Returns a page, with the position in the change log after which a reader of the changes misses none.
    ///
    /// - Parameter isComplete: Whether a home feed is up to date; nil for other lists, which always are.
    private func answer(_ page: FeedPage, isComplete: Bool? = nil) -> Response {
        var document = PostPageDocument(page, media)
        document.complete = isComplete
        return .page(document, at: page.token)
    }
}

extension HomeFeed {
    /// Writes the corrections of a reading; if that fails, the next reading finds them again.
    func write(_ upkeep: FeedUpkeep, or logger: Logger) async {
        do {
            try await self.write(upkeep)
        } catch {
            logger.debug("a home feed was not updated", metadata: ["fault": "\(error)"])
        }
    }
}
