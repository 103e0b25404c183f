import API
import Access
package import Database
import Foundation
import Hummingbird
package import Model
package import Requests
package import Social
package import Tree

/// The lists of posts as the requester may read them: for programs, for people and for feed readers.
package struct FeedLists: Sendable {
    let tree: TreeStore
    private let database: RealtimeDatabase

    package init(_ tree: TreeStore, _ database: RealtimeDatabase) {
        self.tree = tree
        self.database = database
    }

    /// Returns all posts.
    ///
    /// - Throws: `TreeError` with the code `permission_denied`; so do the other functions.
    package func all(_ context: HTTPContext) async throws -> FeedList {
        try await require(PostNodes.post(), context)
        return .all
    }

    /// Returns a person's posts.
    ///
    /// - Throws: `Failure` with the code `not_found` for an unknown person.
    package func person(_ context: HTTPContext) async throws -> (uid: UserID, list: FeedList) {
        let uid = try context.user()
        try await requirePosts(of: uid, context)
        try await require(PeopleNodes.person(uid), context)
        guard try await PostReader(tree).person(uid) != nil else { throw Failure.noSuchPerson }
        return (uid, .author(uid))
    }

    /// Returns the posts with the hashtag that is in the path.
    ///
    /// - Throws: `Failure` with the code `not_found` for a malformed hashtag.
    package func hashtag(_ context: HTTPContext) async throws -> (tag: TreeKey, list: FeedList) {
        try await require(PostNodes.post(), context)
        let text = context.parameters.get("tag") ?? ""
        let name = text.removingPercentEncoding ?? text
        // Only the beginning of a longer text might be a hashtag.
        guard let tag = Hashtags.tag(named: name) else {
            throw Failure(
                .notFound, "the hashtag does not exist",
                hint: "Give a hashtag without #: up to 100 letters, digits and _, not digits alone.")
        }
        try await require(PostNodes.tagged(tag), context)
        return (tag, .hashtag(tag))
    }

    /// Returns a page of a list.
    ///
    /// - Parameter before: The `next` of the page before, or a post's id; nil for the newest.
    /// - Throws: `Failure` with the code `bad_request` for a malformed `before`.
    package func page(
        of list: FeedList, before: String?, limit: Int, _ context: HTTPContext
    ) async throws -> FeedPage {
        let cursor = try await cursor(before)
        return try await FeedReader(tree).page(of: list, before: cursor, limit: limit, try await view(context))
    }

    /// Checks that the requester may read a path.
    package func require(_ path: TreePath, _ context: HTTPContext) async throws {
        try await database.session(as: context.identity).judgeRead(of: path)
    }

    /// Checks that the requester may read all posts, or at least those of a person, as rules about the query allow.
    private func requirePosts(of uid: UserID, _ context: HTTPContext) async throws {
        if try await context.mayRead(PostNodes.post(), in: database) { return }
        let query = try TreeQuery(
            order: .child(TreePath("author/uid")), equalTo: TreeQuery.Bound(.string(uid.description)))
        try await database.session(as: context.identity).judgeRead(of: PostNodes.post(), matching: query)
    }

    /// Returns the view in which posts are shown: the parts that the requester may read.
    package func view(_ context: HTTPContext) async throws -> FeedView {
        var view = FeedView(viewer: context.viewer)
        view.showsCounts = try await context.mayRead(ReactionNodes.stats(), in: database)
        view.showsComments = try await context.mayRead(ReactionNodes.comment(), in: database)
        view.showsLikes = try await context.mayRead(ReactionNodes.like(), in: database)
        return view
    }

    /// Returns the beginning of a page: after the page before, or after the post with an id.
    func cursor(_ before: String?) async throws -> PostPosition? {
        guard let before else { return nil }
        if let position = PostPosition(cursor: before) { return position }
        if let id = try? TreeKey(before), let position = try await PostReader(tree).position(of: id) { return position }
        throw Failure(.badRequest, "before is not a cursor or a post", hint: "Use \"next\" of the page before.")
    }
}
