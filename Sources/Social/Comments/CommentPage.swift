package import Model
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

    private var rows = PageRows<Comment, TreeKey>()

    /// In the order that was asked for.
    package var comments: [Comment] { rows.items }
    /// The records that are no comments; the first ones.
    package var skipped: [SkippedRecord] { rows.skipped }
    /// Whether comments follow this page.
    package var hasMore: Bool { rows.hasMore }
    /// A position in the change log up to which everything is in the page.
    package var token: SyncToken? { rows.token }

    /// The comment behind which the next page begins; nil when this is the last.
    package var next: TreeKey? { rows.next }

    /// Reads on, in one state of the tree, until the page is full and knows whether more follow; or as far as one state is
    /// to be read.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        _ selection: Selection, of post: PostID, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        var blocked = BlockedPeople(of: selection.viewer)
        return try rows.readOn(limit: selection.limit, from: snapshot) {
            (end: TreeKey?, limit: Int) throws(TreeError) -> [TreeChild] in
            if let after = selection.after, let before = selection.before, !(after < before) { return [] }
            return try snapshot.children(
                of: ReactionNodes.comment(post), range: selection.range(behind: end),
                order: selection.isNewestFirst ? .descending : .ascending, limit: limit)
        } position: {
            $0.key
        } read: { record throws(TreeError) in
            if try blocked.containAuthor(of: record.value, in: snapshot) { return .hidden }
            if let comment = Comment(record.key, of: post.key, record.value) { return .item(comment) }
            let fault = Comment.fault(of: record.value) ?? "it is no comment"
            return .skipped(SkippedRecord(id: record.key, fault: fault))
        }
    }
}
