import API
import Access
package import Database
import Foundation
import Hummingbird
package import Model
package import Requests
package import Social
package import Tree

/// The lists of posts as whoever sends a request may read them: for programs, for people and for readers of feeds.
package struct FeedLists: Sendable {
    let tree: TreeStore
    private let database: RealtimeDatabase

    package init(_ tree: TreeStore, _ database: RealtimeDatabase) {
        self.tree = tree
        self.database = database
    }

    /// All posts.
    ///
    /// - Throws: `TreeError` with the code `permission_denied`, as the others do.
    package func all(_ context: HTTPContext) async throws -> FeedList {
        try await require(PostNodes.post(), context)
        return .all
    }

    /// A person's posts.
    ///
    /// - Throws: `Failure` with the code `not_found` for whoever is not there.
    package func person(_ context: HTTPContext) async throws -> (uid: UserID, list: FeedList) {
        try await require(PostNodes.post(), context)
        let uid = try context.user()
        try await require(PeopleNodes.person(uid), context)
        guard try await PostReader(tree).person(uid) != nil else { throw Failure.noSuchPerson }
        return (uid, .author(uid))
    }

    /// The posts with the hashtag that is in the path.
    ///
    /// - Throws: `Failure` with the code `not_found` for what is no hashtag.
    package func hashtag(_ context: HTTPContext) async throws -> (tag: TreeKey, list: FeedList) {
        try await require(PostNodes.post(), context)
        let text = context.parameters.get("tag") ?? ""
        let name = text.removingPercentEncoding ?? text
        // Of a text that is more than a hashtag, only the beginning would be one.
        guard let tag = Hashtags.tag(named: name) else {
            throw Failure(
                .notFound, "there is no such hashtag",
                hint: "a hashtag is named without #: up to 100 letters, digits and _, not digits alone")
        }
        try await require(PostNodes.tagged(tag), context)
        return (tag, .hashtag(tag))
    }

    /// A page of a list.
    ///
    /// - Parameter before: The `next` of the page before, or a post's id; nil for the newest.
    /// - Throws: `Failure` with the code `bad_request` for what is neither.
    package func page(
        of list: FeedList, before: String?, limit: Int, _ context: HTTPContext
    ) async throws -> FeedPage {
        let cursor = try await cursor(before)
        return try await FeedReader(tree).page(of: list, before: cursor, limit: limit, try await view(context))
    }

    /// Sees to it that whoever sends a request may read what stands at a path.
    package func require(_ path: TreePath, _ context: HTTPContext) async throws {
        try await database.session(as: context.identity).judgeRead(of: path)
    }

    /// What is shown with posts: what whoever asks may read.
    package func view(_ context: HTTPContext) async throws -> FeedView {
        var view = FeedView(viewer: context.viewer)
        view.showsCounts = try await context.mayRead(ReactionNodes.stats(), in: database)
        view.showsComments = try await context.mayRead(ReactionNodes.comment(), in: database)
        view.showsLikes = try await context.mayRead(ReactionNodes.like(), in: database)
        return view
    }

    /// Where a page begins: behind the page before, or behind a post that is named by its id.
    func cursor(_ before: String?) async throws -> PostPosition? {
        guard let before else { return nil }
        if let position = PostPosition(cursor: before) { return position }
        if let id = try? TreeKey(before), let position = try await PostReader(tree).position(of: id) { return position }
        throw Failure(.badRequest, "before is neither a cursor nor a post", hint: "use \"next\" of the page before")
    }
}
