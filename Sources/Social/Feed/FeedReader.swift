package import Model
package import Tree

/// A list of posts in the order of publication; for home feeds, see ``HomeFeed``.
package enum FeedList: Sendable, Hashable {
    /// All posts.
    case all
    /// The posts of one author.
    case author(UserID)
    /// The posts with a hashtag.
    case hashtag(TreeKey)
    /// The posts of an audience.
    case story(AudienceID)
    /// The posts of all audiences that a person is a member of.
    case stories(UserID)

    fileprivate var posts: any PostList {
        switch self {
        case .all: StoredPostList(PostNodes.published())
        case .author(let uid): StoredPostList(PostNodes.publishedBy(uid))
        case .hashtag(let tag): StoredPostList(PostNodes.taggedInOrder(tag))
        case .story(let id):
            StoredPostList(
                AudienceNodes.published(id), records: AudienceNodes.story(id), times: TimeNodes.audiencePost)
        case .stories(let uid): MemberAudienceFeeds(of: uid)
        }
    }
}

/// The data to include in a page of a feed along with the posts.
package struct FeedView: Sendable {
    /// The reader, for whom posts are hidden where one has blocked the other; nil for none.
    package var viewer: UserID?
    /// Whether the numbers of likes and comments are shown.
    package var showsCounts = true
    /// Whether comments are shown.
    package var showsComments = true
    /// Whether the page includes whether the viewer likes each post.
    package var showsLikes = true

    package init(viewer: UserID?) { self.viewer = viewer }

    /// Returns the view of posts for audiences, which have neither likes nor comments.
    package static func ofAudiences(for viewer: UserID?) -> FeedView {
        var view = FeedView(viewer: viewer)
        (view.showsCounts, view.showsComments, view.showsLikes) = (false, false, false)
        return view
    }
}

/// A page of a feed.
package struct FeedPage: Sendable {
    /// The posts, the last published first.
    package let items: [FeedItem]
    /// The posts alone, and the skipped records.
    package let posts: PostPage
    /// Whether the list is complete; otherwise a later reading contains more.
    package internal(set) var isComplete = true
    /// The position in the change log from which a client can follow all later changes.
    package var token: SyncToken? { posts.token }

    init(_ posts: PostPage, _ view: FeedView, in snapshot: TreeSnapshot) throws(TreeError) {
        var blocks = BlockedPeople(of: view.viewer)
        var items: [FeedItem] = []
        for post in posts.items { items.append(try FeedItem(post, view, &blocks, in: snapshot)) }
        self.items = items
        self.posts = posts
    }
}

/// Reads pages of feeds.
package struct FeedReader: Sendable {
    /// The approximate number of hidden records that are read for each post of a page.
    private static let hiddenPerItem = 5
    /// The approximate number of posts that are skipped without reading their records.
    private static let maxPassed = 50_000

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Returns a page of a list, the last published first.
    ///
    /// Posts that have been deleted, cannot be shown, or are by a person who is blocked or no longer followed, are
    /// skipped: most of them without reading their records, which is cheap. If very many must be skipped, a page is
    /// shorter than its limit, and reports that more may follow. Positions never change, so posts are neither missed
    /// nor repeated while others are added and deleted.
    ///
    /// - Parameter cursor: The position before which the page begins; nil for the newest post.
    package func page(
        of list: FeedList, before cursor: PostPosition?, limit: Int, _ view: FeedView
    ) async throws -> FeedPage {
        if case .author(let author) = list, try await isBlocked(author, for: view.viewer) {
            return try await join(PostPage(), view)
        }
        var page = try await page(of: list.posts, before: cursor, limit: limit, view)
        if case .stories(let uid) = list { page.isComplete = try await hasAllStories(of: uid) }
        return page
    }

    private func page(
        of list: some PostList, before cursor: PostPosition?, limit: Int, _ view: FeedView
    ) async throws -> FeedPage {
        try await page(of: { _ in list }, before: cursor, limit: limit, view) { _, snapshot in
            FeedFilter(view, in: snapshot)
        } finish: { page, _ in
            page
        }
    }

    /// Returns a page of a list that depends on the state of the tree.
    ///
    /// - Parameter finish: Converts the page, with the list of the snapshot in which it was completed.
    func page<List: PostList, Result: Sendable>(
        of list: @Sendable (TreeSnapshot) throws -> List, before cursor: PostPosition?, limit: Int, _ view: FeedView,
        filter: @Sendable (List, TreeSnapshot) -> FeedFilter,
        finish: @Sendable (FeedPage, List) throws -> Result
    ) async throws -> Result {
        try await PostReader(tree).page(
            of: list, before: cursor, limit: limit,
            PageBounds(records: Self.hiddenPerItem * limit, rows: Self.maxPassed), filter: filter
        ) { posts, list, snapshot in
            try finish(FeedPage(posts, view, in: snapshot), list)
        }
    }

    /// Whether the person is a member of no more audiences than their combined feed contains.
    private func hasAllStories(of uid: UserID) async throws -> Bool {
        let limit = MemberAudienceFeeds.maxAudiences
        return try await tree.keys(of: AudienceNodes.membership(uid), limit: limit + 1).count <= limit
    }

    /// Returns the page with one post; for nil, the empty page.
    package func page(of id: PostID?, _ view: FeedView) async throws -> FeedPage {
        try await join(try await PostReader(tree).page(of: id), view)
    }

    private func join(_ posts: PostPage, _ view: FeedView) async throws -> FeedPage {
        try await tree.snapshot { snapshot in try FeedPage(posts, view, in: snapshot) }
    }

    private func isBlocked(_ author: UserID, for viewer: UserID?) async throws -> Bool {
        guard viewer != nil else { return false }
        return try await tree.snapshot { snapshot in
            var blocks = BlockedPeople(of: viewer)
            return try blocks.contain(author, in: snapshot)
        }
    }
}

/// Decides which posts of a list are shown: none of blocked people, and in a home feed only existing posts of the
/// reader's followees.
struct FeedFilter: PostFilter {
    private let reader: UserID?
    /// The posts that are known to belong in the reader's home feed.
    private let known: Set<ListedPost>
    private let snapshot: TreeSnapshot
    private var followees: [UserID: Bool] = [:]
    private var blocks: BlockedPeople

    /// - Parameters:
    ///   - reader: The reader of the home feed; nil for another list.
    ///   - known: Posts that belong in it in this snapshot of the tree.
    init(of reader: UserID? = nil, knowing known: [ListedPost] = [], _ view: FeedView, in snapshot: TreeSnapshot) {
        self.reader = reader
        self.known = Set(known)
        self.snapshot = snapshot
        blocks = BlockedPeople(of: view.viewer)
    }

    mutating func mayShow(_ post: ListedPost) throws(TreeError) -> Bool {
        if let reader, !known.contains(post) {
            // A post that was deleted and written again has another position.
            guard let place = try PublicationEntry(of: post.id, in: snapshot), place.position == post.position,
                let author = place.author
            else { return false }
            return try isFollowed(author, by: reader)
        }
        guard let author = post.author.flatMap({ UserID($0) }) else { return true }
        return try !blocks.contain(author, in: snapshot)
    }

    mutating func shows(_ post: ListedPost, _ record: TreeValue) throws(TreeError) -> Bool {
        try !blocks.containAuthor(of: record, in: snapshot)
    }

    /// Whether a reader's home feed may contain an author's posts.
    mutating func isFollowed(_ author: UserID, by reader: UserID) throws(TreeError) -> Bool {
        if author == reader { return true }
        if let known = followees[author] { return known }
        let isFollowed = try snapshot.exists(PeopleNodes.following(reader) / author.key)
        followees[author] = isFollowed
        return isFollowed
    }
}
