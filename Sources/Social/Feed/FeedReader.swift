package import Model
package import Tree

/// A list of posts in the order of publication; ``HomeFeed`` has those of home screens.
package enum FeedList: Sendable, Hashable {
    /// All posts.
    case all
    /// The posts of one author.
    case author(UserID)
    /// The posts with a hashtag.
    case hashtag(TreeKey)
    /// The posts of an audience.
    case story(AudienceID)
    /// The posts of all audiences that somebody is a member of.
    case stories(UserID)

    fileprivate var posts: any PostList {
        switch self {
        case .all: StoredPostList(PostNodes.published())
        case .author(let uid): StoredPostList(PostNodes.publishedBy(uid))
        case .hashtag(let tag): StoredPostList(PostNodes.taggedInOrder(tag))
        case .story(let id): StoredPostList(AudienceNodes.published(id), records: AudienceNodes.story(id))
        case .stories(let uid): MemberAudienceFeeds(of: uid)
        }
    }
}

/// What a page of a feed is to have beside the posts.
package struct FeedView: Sendable {
    /// Whoever looks at it, and does not see whom they have blocked, or who has blocked them; nil for nobody in particular.
    package var viewer: UserID?
    /// Whether the numbers of likes and comments are shown.
    package var showsCounts = true
    /// Whether comments are shown.
    package var showsComments = true
    /// Whether it is shown if the viewer likes a post.
    package var showsLikes = true

    package init(viewer: UserID?) { self.viewer = viewer }
}

/// A page of a feed.
package struct FeedPage: Sendable {
    /// The last published first.
    package let items: [FeedItem]
    /// The posts alone, and what was passed over.
    package let posts: PostPage
    /// Whether the list has all that it should have; else a later reading has more.
    package internal(set) var isComplete = true
    /// The position in the change log from which whoever follows the changes misses nothing.
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
    /// The most records, about, that are read in vain for each post that a page may have.
    private static let hiddenPerItem = 5
    /// The most posts, about, that are passed over without their records.
    private static let maxPassed = 50_000

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// A page of a list, the last published first.
    ///
    /// What is gone, cannot be shown, or is of somebody who is blocked or no longer followed, is passed over: most of it
    /// without its record, which costs little. Where very much has to be, a page is shorter than it could be, and says that
    /// more may follow. Positions never change, so that no post is left out or comes twice while others come and go.
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

    /// A page of a list that depends on the state of the tree.
    ///
    /// - Parameter finish: What is made of the page, with the list of the state in which it was completed.
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

    /// Whether somebody is a member of no more audiences than a list of stories has.
    private func hasAllStories(of uid: UserID) async throws -> Bool {
        let limit = MemberAudienceFeeds.maxAudiences
        return try await tree.keys(of: AudienceNodes.membership(uid), limit: limit + 1).count <= limit
    }

    /// The page with one post, or with none.
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

/// Tells which posts of a list are shown: none of whoever is blocked, and in a home feed those that are there, by whom its
/// reader follows.
struct FeedFilter: PostFilter {
    private let reader: UserID?
    /// The posts of which it is known that they belong into the reader's home feed.
    private let known: Set<ListedPost>
    private let snapshot: TreeSnapshot
    private var followees: [UserID: Bool] = [:]
    private var blocks: BlockedPeople

    /// - Parameters:
    ///   - reader: Whose home feed it is; nil for a list that is nobody's.
    ///   - known: Posts that belong into it in this state of the tree.
    init(of reader: UserID? = nil, knowing known: [ListedPost] = [], _ view: FeedView, in snapshot: TreeSnapshot) {
        self.reader = reader
        self.known = Set(known)
        self.snapshot = snapshot
        blocks = BlockedPeople(of: view.viewer)
    }

    mutating func mayShow(_ post: ListedPost) throws(TreeError) -> Bool {
        if let reader, !known.contains(post) {
            // A post that came back has another position.
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

    /// Whether a reader's home feed may have somebody's posts.
    mutating func isFollowed(_ author: UserID, by reader: UserID) throws(TreeError) -> Bool {
        if author == reader { return true }
        if let known = followees[author] { return known }
        let isFollowed = try snapshot.exists(PeopleNodes.following(reader) / author.key)
        followees[author] = isFollowed
        return isFollowed
    }
}
