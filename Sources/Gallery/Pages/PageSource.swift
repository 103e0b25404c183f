import API
import Access
package import Database
import Hummingbird
import Keeping
import Model
package import Requests
package import Server
import Social
import Transport
package import Tree

/// What pages, feeds and embedded posts are made of, read as the routes for programs read it: what the rules forbid to whoever
/// asks is refused here, too.
package struct PageSource: Sendable {
    let lists: FeedLists
    private let tree: TreeStore
    private let media: MediaAccess
    private let database: RealtimeDatabase
    private let people: People
    private let comments: Comments
    private let persons: PersonResponse
    private let publicURL: PublicURL?

    package init(
        _ tree: TreeStore, ids: PushIDGenerator, _ media: MediaAccess, _ database: RealtimeDatabase,
        publicURL: PublicURL?
    ) {
        self.tree = tree
        self.media = media
        self.database = database
        self.publicURL = publicURL
        lists = FeedLists(tree, database)
        people = People(tree)
        persons = PersonResponse(people: people, database: database)
        comments = Comments(tree, ids: ids)
    }

    /// Some posts of a list.
    struct Page: Sendable {
        let posts: [ShownPost]
        /// Where the page after this one begins; nil when there is none.
        let next: String?
        /// The position in the change log from which whoever follows the changes misses nothing.
        let token: String
    }

    func page(of list: FeedList, before: String?, limit: Int, _ context: HTTPContext) async throws -> Page {
        let page = try await lists.page(of: list, before: before, limit: limit, context)
        return Page(
            posts: page.items.map(shown), next: page.posts.next?.description, token: page.token?.description ?? "")
    }

    /// One post for everybody.
    ///
    /// - Throws: `Failure` with the code `not_found`, also for a post for audiences, whoever asks: these are not for pages
    ///   that are passed on.
    func post(_ id: PostID, _ context: HTTPContext) async throws -> (post: ShownPost, token: String) {
        let readable = try await ReadablePost(id, of: tree, database, context)
        guard !readable.isRestricted else { throw ReadablePost.noPost }
        let page = try await FeedReader(tree).page(of: id, try await lists.view(context))
        guard let item = page.items.first else { throw Failure(.notFound, "there is no such post") }
        return (shown(item), page.token?.description ?? "")
    }

    /// The first comments on a post; nil where whoever asks may not read them.
    func comments(on id: PostID, limit: Int, _ context: HTTPContext) async throws -> CommentPage? {
        guard try await context.mayRead(ReactionNodes.comment(id), in: database) else { return nil }
        return try await comments.page(of: id, CommentPage.Selection(for: context.viewer, limit: limit))
    }

    /// Somebody, with the numbers if whoever asks may read them.
    func person(_ uid: UserID, _ context: HTTPContext) async throws -> PersonDocument {
        try await persons.document(of: uid, context)
    }

    /// The people whose names begin with a text; nil for a text that no name begins with.
    func people(named text: String, limit: Int, _ context: HTTPContext) async throws -> [Person]? {
        try await lists.require(PeopleNodes.person(), context)
        guard let prefix = NamePrefix(text) else { return nil }
        return try await people.search(prefix, after: nil, limit: limit).people
    }

    /// The address at which whoever asks knows the service: the public one, else the one that was asked.
    func origin(_ request: Request, _ context: HTTPContext) -> String {
        if let publicURL { return publicURL.origin }
        let scheme = context.client.isEncrypted ? "https" : "http"
        return "\(scheme)://\(request.head.authority ?? "localhost")"
    }

    private func shown(_ item: FeedItem) -> ShownPost { ShownPost(item, item.document(media).value) }
}

extension Request {
    /// What the query has by a name; nil for nothing, and for what is empty or no text. Pages are asked for with words of
    /// whoever asks, so that others are passed over.
    func queryText(_ name: String) -> String? {
        let field = URLEncodedFields(uri.query).first { $0.encodedValue != nil && $0.name == name }
        return field?.value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
