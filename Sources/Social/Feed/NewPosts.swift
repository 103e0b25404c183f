import Model
import Tree

/// The limits of the work for one reading of a home feed; a follow-up task does the rest.
struct FeedBounds: Sendable {
    /// The largest number of posts that are added to a feed at once; more than a page contains, so that a page has no
    /// gap.
    var maxPosts = 500
    /// The largest number of people whose posts are searched one by one. A search costs about as much as ten rows.
    var maxSearches = 1000
    /// The number of rows of the list of all posts that are read for each followee, within the bounds of `scannedRows`.
    var rowsPerFollowee = 2
    var scannedRows = 1000...20_000
    /// The number of rows up to which it is cheaper to look up each author's follow separately.
    var fewRows = 100
    /// The number of rows from which reading them repeatedly costs more than moving the mark.
    var rowsWorthAMark = 500
    /// The largest number of steps of follow-up tasks that a reading waits for.
    var maxSteps = 4
}

/// The posts that a home feed lacks in one snapshot of the tree: those of the reader and the reader's followees that
/// were published after the feed's mark, the newest first; for a page that begins further back, those before its
/// beginning.
struct NewPosts: Sendable {
    /// The mark of the feed; nil before the first reading.
    let mark: PostPosition?
    /// The position up to which posts were searched.
    let end: PostPosition
    /// The posts, the newest of the missing ones, without a gap.
    private(set) var posts: [ListedPost] = []
    /// Whether these are all missing posts.
    private(set) var isComplete = true
    private var rowCount = 0

    private let reader: UserID
    private let cursor: PostPosition?
    private let bounds: FeedBounds

    /// Whether the feed should be written; its mark may move only together with all missing posts.
    var isWorthWriting: Bool {
        guard cursor == nil else { return false }
        return mark == nil || !posts.isEmpty || !isComplete || rowCount >= bounds.rowsWorthAMark
    }

    /// - Parameter cursor: The position before which a page begins; nil for the newest post.
    init(
        for reader: UserID, before cursor: PostPosition? = nil, _ bounds: FeedBounds, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        self.reader = reader
        self.cursor = cursor
        self.bounds = bounds
        mark = try FeedSync.mark(of: reader, in: snapshot)
        end = PostPosition(sequence: try snapshot.token.sequence, number: Int(UInt32.max))
        var rows = try rows(limit: bounds.scannedRows.lowerBound, in: snapshot)
        if rows.count <= bounds.fewRows {
            var authors = FollowedAuthors(of: reader)
            try take(from: rows, by: &authors, in: snapshot)
            return
        }
        var authors = try FollowedAuthors(of: reader, limit: bounds.scannedRows.upperBound, in: snapshot)
        let limit = min(
            max(authors.count * bounds.rowsPerFollowee, bounds.scannedRows.lowerBound), bounds.scannedRows.upperBound)
        if rows.count == bounds.scannedRows.lowerBound, limit > rows.count {
            rows = try self.rows(limit: limit, in: snapshot)
        }
        try take(from: rows, by: &authors, in: snapshot)
        guard isComplete, rows.count == limit, let last = rows.last.flatMap({ PostPosition(key: $0.key) }) else {
            return
        }
        guard posts.count < bounds.maxPosts, authors.count <= bounds.maxSearches else {
            isComplete = false
            return
        }
        try search(for: authors.all, before: last, in: snapshot)
    }

    /// Returns the last rows of the list of all posts, after the mark.
    private func rows(limit: Int, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeChild] {
        let range = KeyRange(
            lower: mark.map { .excluding($0.key) } ?? .unbounded, upper: cursor.map { .excluding($0.key) } ?? .unbounded
        )
        return try snapshot.children(of: PostNodes.published(), range: range, order: .descending, limit: limit)
    }

    /// Adds the posts of matching authors from rows, up to the limit.
    private mutating func take(
        from rows: [TreeChild], by authors: inout FollowedAuthors, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        rowCount = rows.count
        for row in rows {
            guard let post = ListedPost(row) else { continue }
            // Lists of earlier versions do not contain authors.
            var author = post.author
            if author == nil { author = try PublicationEntry(of: post.id, in: snapshot)?.author?.description }
            guard let author, try authors.contain(author, in: snapshot) else { continue }
            guard posts.count < bounds.maxPosts else {
                isComplete = false
                return
            }
            posts.append(post)
        }
    }

    /// Searches each person's posts between the mark and a position, and merges them.
    private mutating func search(
        for people: [UserID], before end: PostPosition, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        // The list with the newest next post is the last.
        var lists: [AuthorsPosts] = []
        for author in people {
            let list = try AuthorsPosts(of: author, after: mark, before: end, in: snapshot)
            if !list.posts.isEmpty { lists.append(list) }
        }
        lists.sort { $0.next < $1.next }
        while posts.count < bounds.maxPosts, var list = lists.popLast() {
            posts.append(list.posts.removeFirst())
            if list.posts.isEmpty { try list.readOn(in: snapshot) }
            guard !list.posts.isEmpty else { continue }
            let place = lists.partitioningIndex { $0.next > list.next }
            lists.insert(list, at: place)
        }
        isComplete = lists.isEmpty
    }
}

/// The authors in a reader's home feed: the reader, and the reader's followees.
private struct FollowedAuthors {
    private let reader: UserID
    /// The known results, by the ids of people.
    private var known: [String: Bool]
    private let isWhole: Bool
    /// The people who are known from the start.
    let all: [UserID]
    var count: Int { all.count }

    /// Starts without known people, and looks up each author.
    init(of reader: UserID) {
        self.reader = reader
        known = [reader.description: true]
        isWhole = false
        all = [reader]
    }

    /// Starts with the reader's followees, and looks up other authors if there are too many.
    init(of reader: UserID, limit: Int, in snapshot: TreeSnapshot) throws(TreeError) {
        self.reader = reader
        let followees = try snapshot.children(of: PeopleNodes.following(reader), limit: limit)
        isWhole = followees.count < limit
        all = [reader] + followees.compactMap { UserID($0.key.string) }.filter { $0 != reader }
        known = Dictionary(uniqueKeysWithValues: all.map { ($0.description, true) })
    }

    mutating func contain(_ author: String, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if let known = known[author] { return known }
        guard !isWhole, let uid = UserID(author) else { return false }
        let isFollowed = try snapshot.exists(PeopleNodes.following(reader) / uid.key)
        known[author] = isFollowed
        return isFollowed
    }
}

/// The posts of one author in a range of positions, the newest first, read a few at a time.
private struct AuthorsPosts {
    private static let batch = 8

    private let author: UserID
    private var range: KeyRange
    private var hasMore = true
    var posts: ArraySlice<ListedPost> = []

    /// The position of the next post.
    var next: PostPosition { posts.first?.position ?? PostPosition(sequence: 0) }

    init(
        of author: UserID, after mark: PostPosition?, before end: PostPosition, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        self.author = author
        range = KeyRange(lower: mark.map { .excluding($0.key) } ?? .unbounded, upper: .excluding(end.key))
        try readOn(in: snapshot)
    }

    mutating func readOn(in snapshot: TreeSnapshot) throws(TreeError) {
        guard hasMore else { return }
        let rows = try snapshot.children(
            of: PostNodes.publishedBy(author), range: range, order: .descending, limit: Self.batch)
        posts = rows.compactMap { ListedPost($0) }[...]
        hasMore = rows.count == Self.batch
        if let last = rows.last { range.upper = .excluding(last.key) }
    }
}

extension Array {
    /// Returns the index of the first element that satisfies a condition that all later elements also satisfy.
    fileprivate func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
