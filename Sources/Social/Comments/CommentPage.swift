package import Model
package import Tree

/// A page of the comments on a post. Records that are not comments are skipped and listed; comments between people of
/// whom one has blocked the other are skipped.
package struct CommentPage: Sendable {
    /// The selection of a post's comments, and their reader.
    package struct Selection: Sendable {
        /// The reader; nil for an admin, and for a requester without an id.
        package let viewer: UserID?
        /// The comment after which the selection begins; nil for no limit.
        package let after: TreeKey?
        /// The comment before which the selection ends; nil for no limit.
        package let before: TreeKey?
        /// Whether the newest comments come first; otherwise the oldest do.
        package let isNewestFirst: Bool
        /// The largest number of comments.
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

        /// Returns the range of the keys after a comment, in the order of the page.
        fileprivate func range(behind end: TreeKey?) -> KeyRange {
            let (first, last) = isNewestFirst ? (after, end ?? before) : (end ?? after, before)
            return KeyRange(
                lower: first.map { .excluding($0) } ?? .unbounded, upper: last.map { .excluding($0) } ?? .unbounded)
        }
    }

    private var rows = PageRows<Comment, TreeKey>()

    /// The comments in the requested order.
    package var comments: [Comment] { rows.items }
    /// The first records that are not comments.
    package var skipped: [SkippedRecord] { rows.skipped }
    /// Whether more comments follow this page.
    package var hasMore: Bool { rows.hasMore }
    /// A position in the change log; the page contains all changes up to it.
    package var token: SyncToken? { rows.token }

    /// The comment after which the next page begins; nil on the last page.
    package var next: TreeKey? { rows.next }

    /// Continues in a snapshot of the tree, until the page is full and it is known whether more comments follow, or
    /// until the limit for one snapshot.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        _ selection: Selection, of post: PostID, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        var blocked = BlockedPeople(of: selection.viewer)
        return try rows.readOn(limit: selection.limit, from: snapshot) {
            (end: TreeKey?, limit: Int) throws(TreeError) -> [CommentRow] in
            if let after = selection.after, let before = selection.before, !(after < before) { return [] }
            let records = try snapshot.children(
                of: ReactionNodes.comment(post), range: selection.range(behind: end),
                order: selection.isNewestFirst ? .descending : .ascending, limit: limit)
            let times = try EntityTimes.stored(below: TimeNodes.comment(post), of: records.map(\.key), in: snapshot)
            return records.map { CommentRow(record: $0, times: times[$0.key]) }
        } position: {
            $0.record.key
        } read: { row throws(TreeError) in
            let record = row.record
            if try blocked.containAuthor(of: record.value, in: snapshot) { return .hidden }
            if let comment = Comment(record.key, of: post.key, record.value, row.times) { return .item(comment) }
            let fault = Comment.fault(of: record.value) ?? "it is not a comment"
            return .skipped(SkippedRecord(id: record.key, fault: fault))
        }
    }
}

/// A record of a page of comments, and its stored times.
private struct CommentRow {
    let record: TreeChild
    let times: EntityTimes?
}
