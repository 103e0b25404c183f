import API
package import Database
import HTTPTypes
import Hummingbird
import Model
package import Requests
import Transport
package import Tree

/// `/v1/hashtags`: the list of hashtags, and the completion of a typed beginning.
package struct HashtagRoutes: Sendable {
    let tree: TreeStore
    let database: RealtimeDatabase

    package init(tree: TreeStore, database: RealtimeDatabase) {
        self.tree = tree
        self.database = database
    }

    package func add(to routes: inout RouteTable) {
        let list = Endpoint(
            "listHashtags", in: .posts, "List hashtags, in their order, with the numbers of their posts",
            [
                .query("search", .text(upTo: 101), "the beginning of a hashtag, in any case, with # or without"),
                .query("limit", .integer(1...HashtagPage.maxSize), "the largest number of hashtags"),
                .query("after", .text, "the `next` of the page before"),
            ],
            answers: [.json(HashtagPageDocument.self)], errors: [.permissionDenied], run: list)
        routes.add("/v1/hashtags", [.get: list])
    }

    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await database.session(as: context.identity).judgeRead(of: PostNodes.tagged())
        guard let prefix = Hashtags.prefix(context.query["search"] ?? "") else {
            throw Failure(
                .badRequest, "search is not the beginning of a hashtag", hint: "Use up to 100 letters, digits and _.")
        }
        let (limit, last) = (
            try context.query.pageLimit(upTo: HashtagPage.maxSize), try context.query.pageCursor("after")
        )
        let page = try await tree.snapshot { try HashtagPage(prefix, after: last, limit: limit, in: $0) }
        return .json(
            HashtagPageDocument(
                hashtags: page.tags.map { .init($0.tag.string, posts: $0.posts) }, hasMore: page.hasMore))
    }
}
