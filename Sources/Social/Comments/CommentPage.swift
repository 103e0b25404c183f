package import Posts
package import Tree

/// A page of the comments on a post. What clients of the database wrote and is no comment is passed over, and named; what
/// somebody wrote whom the viewer has blocked, or who has blocked the viewer, is passed over.
package struct CommentPage: Sendable {
    /// The comments of a post that are read, and their reader.
    package struct Selection: Sendable {
        /// The reader; nil for an admin, and for somebody unknown.
        package let viewer: UserID?
        /// The comment behind which they are; nil for all.
        package let after: TreeKey?
        /// The comment before which they are; nil for all.
        package let before: TreeKey?
        /// Whether the newest come first, or else the oldest.
        package let isNewestFirst: Bool
        /// How many at most.
        package let limit: Int

        package init(
            for viewer: UserID? = nil, after: TreeKey? = nil, before: TreeKey? = nil, isNewestFirst: Bool = false,
            limit: Int
        ) {
            self.viewer = viewer
            self.after = after
            self.before = before
            self.isNewestFirst = isNewestFirst
            self.limit = limit
        }

        /// The keys of what is behind a comment, in the order of the page.
        fileprivate func range(behind end: TreeKey?) -> KeyRange {
            let (first, last) = isNewestFirst ? (after, end ?? before) : (end ?? after, before)
            return KeyRange(
                lower: first.map { .excluding($0) } ?? .unbounded, upper: last.map { .excluding($0) } ?? .unbounded)
        }
    }

    /// In the order that was asked for.
    package private(set) var comments: [Comment] = []
    /// What was passed over, with what is wrong with it; the first ones.
    package private(set) var skipped: [(id: TreeKey, fault: String)] = []
    /// Whether comments follow this page.
    package private(set) var hasMore = false
    /// The last record that the page has, or has passed over.
    private var end: TreeKey?
    /// A position in the change log up to which everything is in the page.
    package private(set) var token: SyncToken?

    /// The comment behind which the next page begins; nil when this is the last.
    package var next: TreeKey? { hasMore ? end : nil }

    /// The most records that are named when they are passed over.
    private static let maxSkipped = 1000
    /// The number of records that one state of the tree is read for.
    private static let batch = 200

    /// Reads on, in one state of the tree, until the page is full and knows whether more follow; or as far as one state is
    /// to be read.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        _ selection: Selection, of post: PostID, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        if token == nil { token = try snapshot.token }
        if let after = selection.after, let before = selection.before, !(after < before) { return true }
        let wanted = end == nil ? selection.limit + 1 : Self.batch
        let records = try snapshot.children(
            of: Paths.comments(post), range: selection.range(behind: end),
            order: selection.isNewestFirst ? .descending : .ascending, limit: wanted)
        var blocked = BlockedPeople(of: selection.viewer)
        for record in records {
            if try blocked.containAuthor(of: record.value, in: snapshot) {
                end = record.key
                continue
            }
            if let comment = Comment(record.key, of: post.key, record.value) {
                if comments.count == selection.limit {
                    hasMore = true
                    return true
                }
                comments.append(comment)
            } else if skipped.count < Self.maxSkipped {
                skipped.append((record.key, Comment.fault(of: record.value) ?? "it is no comment"))
            }
            end = record.key
        }
        return records.count < wanted
    }
}
