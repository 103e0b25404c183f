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

/// The source of the data of pages, feeds and embedded posts. It reads like the routes for programs, so that it refuses
/// what the rules forbid to the requester.
package struct PageSource: Sendable {
    let lists: FeedLists
    let site: CurrentSite
    private let tree: TreeStore
    private let media: MediaAccess
    private let database: RealtimeDatabase
    private let people: People
    private let comments: Comments
    private let persons: PersonResponse
    private let publicURL: PublicURL?

    package init(
        _ tree: TreeStore, ids: PushIDGenerator, _ media: MediaAccess, _ database: RealtimeDatabase,
        publicURL: PublicURL?, site: CurrentSite
    ) {
        self.site = site
        self.tree = tree
        self.media = media
        self.database = database
        self.publicURL = publicURL
        lists = FeedLists(tree, database)
        people = People(tree)
        persons = PersonResponse(people: people, database: database)
        comments = Comments(tree, ids: ids)
    }

    /// A page of a list of posts.
    struct Page: Sendable {
        let posts: [ShownPost]
        /// The cursor of the next page; nil for the last page.
        let next: String?
        /// The position in the change log from which a reader who follows the changes misses nothing.
        let token: String
    }

    func page(of list: FeedList, before: String?, limit: Int, _ context: HTTPContext) async throws -> Page {
        let page = try await lists.page(of: list, before: before, limit: limit, context)
        return Page(
            posts: page.items.map(shown), next: page.posts.next?.description, token: page.token?.description ?? "")
    }

    /// Reads one post for everybody.
    ///
    /// - Throws: `Failure` with the code `not_found`, also for a post for audiences: these are never on pages whose
    ///   addresses are passed on.
    func post(_ id: PostID, _ context: HTTPContext) async throws -> (post: ShownPost, token: String) {
        let readable = try await ReadablePost(id, of: tree, database, context)
        guard !readable.isRestricted else { throw ReadablePost.noPost }
        let page = try await FeedReader(tree).page(of: id, try await lists.view(context))
        guard let item = page.items.first else { throw Failure(.notFound, "there is no such post") }
        return (shown(item), page.token?.description ?? "")
    }

    /// Reads the first comments on a post; nil if the requester may not read them.
    func comments(on id: PostID, limit: Int, _ context: HTTPContext) async throws -> CommentPage? {
        guard try await context.mayRead(ReactionNodes.comment(id), in: database) else { return nil }
        return try await comments.page(of: id, CommentPage.Selection(for: context.viewer, limit: limit))
    }

    /// Reads a person, with the counts if the requester may read them.
    func person(_ uid: UserID, _ context: HTTPContext) async throws -> PersonDocument {
        try await persons.document(of: uid, context)
    }

    /// Reads the people whose names begin with a text; nil for a text that no name begins with.
    func people(named text: String, limit: Int, _ context: HTTPContext) async throws -> [Person]? {
        try await lists.require(PeopleNodes.person(), context)
        guard let prefix = NamePrefix(text) else { return nil }
        return try await people.search(prefix, after: nil, limit: limit).people
    }

    /// Returns the address at which the requester reaches the service: the public one, else that of the request.
    func origin(_ request: Request, _ context: HTTPContext) -> String {
        if let publicURL { return publicURL.origin }
        let scheme = context.client.isEncrypted ? "https" : "http"
        return "\(scheme)://\(request.head.authority ?? "localhost")"
    }

    private func shown(_ item: FeedItem) -> ShownPost { ShownPost(item, item.document(media).value) }
}

extension Request {
    /// Returns the value of a query item; nil if it is missing, empty or not valid text. Unknown query items of a
    /// page's address are ignored.
    func queryText(_ name: String) -> String? {
        let field = URLEncodedFields(uri.query).first { $0.encodedValue != nil && $0.name == name }
        return field?.value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
