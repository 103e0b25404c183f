package import Tree

/// A page of posts, the last published first. What clients wrote and is no post is passed over, and named.
package struct PostPage: Sendable {
    /// A post and its id.
    package struct Item: Sendable, Hashable {
        package let id: TreeKey
        /// The record at `posts/{id}`, or where else the list has its records.
        package let record: TreeValue

        package init(id: TreeKey, record: TreeValue) {
            self.id = id
            self.record = record
        }
    }

    /// A record that is no post.
    package struct Skipped: Sendable, Hashable {
        package let id: TreeKey
        /// Why it is none, such as "its timestamp is missing".
        package let fault: String
    }

    package private(set) var items: [Item] = []
    /// What was passed over; the first ones.
    package private(set) var skipped: [Skipped] = []
    /// What was passed over as it is gone or not to be shown; the first ones.
    package private(set) var hidden: [ListedPost] = []
    /// The number of posts passed over that had no record, or one that is not shown.
    private var hiddenCount = 0
    /// The number of posts passed over without a look at their records.
    private var passedCount = 0
    /// Whether posts follow this page.
    package internal(set) var hasMore = false
    /// The position of the last record that the page has, or has passed over.
    private var end: PostPosition?
    /// A position in the change log up to which everything is in the page: whoever follows the changes from there on
    /// misses nothing.
    package private(set) var token: SyncToken?

    /// The cursor of the page after this one; nil when this is the last.
    package var next: PostPosition? { hasMore ? end : nil }

    /// The most records of each kind that are named when they are passed over, so that an answer stays small.
    private static let maxNamed = 1000
    /// The number of rows that one state of the tree is read for: the more the more were passed over without their records,
    /// which costs little.
    private static let batch = 200...2000

    package init() {}

    /// Reads on, in one state of the tree, until the page has `limit` posts and knows whether more follow; or as far as
    /// one state is to be read.
    ///
    /// - Parameters:
    ///   - list: Posts by their positions.
    ///   - cursor: The position before which the page begins; nil for the newest.
    ///   - filter: What tells which posts are to be in the page.
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        in list: some PostList, before cursor: PostPosition?, limit: Int, from snapshot: TreeSnapshot,
        by filter: inout some PostFilter
    ) throws(TreeError) -> Bool {
        if token == nil { token = try snapshot.token }
        let batch = min(max(passedCount, Self.batch.lowerBound), Self.batch.upperBound)
        let wanted = end == nil ? limit + 1 : batch
        let range = (end ?? cursor).map { KeyRange.before($0.key) } ?? .all
        let rows = try list.rows(in: range, limit: wanted, from: snapshot)
        for row in rows {
            guard let post = ListedPost(row) else { continue }
            if try !filter.mayShow(post) {
                hide(post, withRecord: false)
            } else if let record = try list.record(of: post, from: snapshot) {
                if let fault = PostShape.fault(of: record) {
                    if skipped.count < Self.maxNamed { skipped.append(Skipped(id: post.id, fault: fault)) }
                } else if try !filter.shows(post, record) {
                    hide(post, withRecord: true)
                } else if items.count == limit {
                    hasMore = true
                    return true
                } else {
                    items.append(Item(id: post.id, record: record))
                }
            } else {
                hide(post, withRecord: true)
            }
            end = post.position
        }
        return rows.count < wanted
    }

    /// Whether so much was passed over that the page ends before it is full.
    func isCutShort(by bounds: PageBounds) -> Bool {
        hiddenCount >= bounds.records || passedCount >= bounds.rows
    }

    /// - Parameter isRecordRead: Whether the record was read, or looked for in vain.
    private mutating func hide(_ post: ListedPost, withRecord isRecordRead: Bool) {
        if isRecordRead { hiddenCount += 1 } else { passedCount += 1 }
        if hidden.count < Self.maxNamed { hidden.append(post) }
    }

    /// The page with one post, if it is there and can be shown.
    init(of id: PostID?, in snapshot: TreeSnapshot) throws(TreeError) {
        token = try snapshot.token
        guard let id, let record = try snapshot.get(Paths.post(id)) else { return }
        if let fault = PostShape.fault(of: record) {
            skipped.append(Skipped(id: id.key, fault: fault))
        } else {
            items.append(Item(id: id.key, record: record))
        }
    }
}
