package import Tree

/// A page of posts, the last published first. Records of clients that are not posts are skipped, and named.
package struct PostPage: Sendable {
    /// A post and its id.
    package struct Item: Sendable, Hashable {
        package let id: TreeKey
        /// The record at `posts/{id}`, or at the path where the list has its records.
        package let record: TreeValue
        /// The position in the list; nil where the list is not in the order of publication.
        package let position: PostPosition?
        /// The times of the post, by its record where they are not stored.
        package let times: EntityTimes

        /// Reads the times of a post.
        ///
        /// - Parameter times: The nodes of the times.
        package init(
            id: TreeKey, record: TreeValue, position: PostPosition?, times: TreeNode = TimeNodes.post,
            in snapshot: TreeSnapshot
        ) throws(TreeError) {
            self.id = id
            self.record = record
            self.position = position
            self.times = try EntityTimes(at: times() / id, in: snapshot).completed(by: record)
        }
    }

    private var rows = PageRows<Item, PostPosition>()
    private var passed = PassedPosts()

    package var items: [Item] { rows.items }
    /// The skipped records that are not posts; the first ones.
    package var skipped: [SkippedRecord] { rows.skipped }
    /// The posts that were skipped because they are deleted or not shown; the first ones.
    package var hidden: [ListedPost] { passed.posts }
    /// Whether posts follow this page.
    package internal(set) var hasMore: Bool {
        get { rows.hasMore }
        set { rows.hasMore = newValue }
    }
    /// A position in the change log up to which the page is complete; a reader who follows the changes from there
    /// misses nothing.
    package var token: SyncToken? { rows.token }

    /// The cursor of the next page; nil for the last page.
    package var next: PostPosition? { rows.next }

    /// The number of rows that are read from one state of the tree. It grows with the number that were skipped without
    /// their records, which costs little.
    private static let batch = 200...2000

    package init() {}

    /// Continues reading, in one state of the tree, until the page has `limit` posts and it is clear whether more
    /// follow, or until the limit of one state is reached.
    ///
    /// - Parameters:
    ///   - list: Posts by their positions.
    ///   - cursor: The position before which the page begins; nil for the newest.
    ///   - filter: The filter of the posts in the page.
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        in list: some PostList, before cursor: PostPosition?, limit: Int, from snapshot: TreeSnapshot,
        by filter: inout some PostFilter
    ) throws(TreeError) -> Bool {
        // A local copy, because the page is changed while a row is read.
        var passed = passed
        defer { self.passed = passed }
        let batch = min(max(passed.unreadCount, Self.batch.lowerBound), Self.batch.upperBound)
        return try rows.readOn(limit: limit, batch: batch, from: snapshot) {
            (end: PostPosition?, limit: Int) throws(TreeError) -> [TreeChild] in
            let range = (end ?? cursor).map { KeyRange.before($0.key) } ?? .all
            return try list.rows(in: range, limit: limit, from: snapshot)
        } position: {
            ListedPost($0)?.position
        } read: { row throws(TreeError) in
            guard let post = ListedPost(row) else { return .hidden }
            guard try filter.mayShow(post) else {
                passed.add(post, isRecordRead: false)
                return .hidden
            }
            let record = try list.record(of: post, from: snapshot)
            if let record, let fault = PostShape.fault(of: record) {
                return .skipped(SkippedRecord(id: post.id, fault: fault))
            }
            guard let record, try filter.shows(post, record) else {
                passed.add(post, isRecordRead: true)
                return .hidden
            }
            let (position, times) = (post.position, list.times)
            return .item(try Item(id: post.id, record: record, position: position, times: times, in: snapshot))
        }
    }

    /// Whether so many posts were skipped that the page ends before it is full.
    func isCutShort(by bounds: PageBounds) -> Bool {
        passed.readCount >= bounds.records || passed.unreadCount >= bounds.rows
    }

    /// Creates the page with one post, if it exists and can be shown.
    init(of id: PostID?, in snapshot: TreeSnapshot) throws(TreeError) {
        _ = try rows.readOn(limit: 1, from: snapshot) { _, _ -> [PostID] in
            id.map { [$0] } ?? []
        } position: { _ in
            PostPosition(sequence: 0)
        } read: { id throws(TreeError) in
            guard let record = try snapshot.get(PostNodes.post(id)) else { return .hidden }
            if let fault = PostShape.fault(of: record) { return .skipped(SkippedRecord(id: id.key, fault: fault)) }
            let position = try snapshot.position(ofPost: id.key)
            return .item(try Item(id: id.key, record: record, position: position, in: snapshot))
        }
    }
}

/// The posts that a page has skipped because they are deleted or not shown.
private struct PassedPosts {
    /// The skipped posts; the first ones.
    private(set) var posts: [ListedPost] = []
    /// The number of posts that had no record, or one that is not shown.
    private(set) var readCount = 0
    /// The number of posts that were skipped without reading their records.
    private(set) var unreadCount = 0

    /// - Parameter isRecordRead: Whether the record was read, or not found.
    mutating func add(_ post: ListedPost, isRecordRead: Bool) {
        if isRecordRead { readCount += 1 } else { unreadCount += 1 }
        if posts.count < PageRows<PostPage.Item, PostPosition>.maxNamed { posts.append(post) }
    }
}
