package import Model
package import Tree

/// A page of the posts that somebody likes. A like may outlive its post for a moment, and a client of the database may
/// like what is no post: these are passed over, and so are the posts of those whom a reader has blocked, or who have blocked
/// the reader.
package struct LikedPosts: Sendable {
    private var rows = PageRows<PostPage.Item, TreeKey>()

    /// The posts, with their ids.
    package var items: [PostPage.Item] { rows.items }
    /// The records at `posts/` that are no posts; the first ones.
    package var skipped: [SkippedRecord] { rows.skipped }
    /// Whether posts follow this page.
    package var hasMore: Bool { rows.hasMore }
    /// The position in the change log of the first state that was read.
    package var token: SyncToken? { rows.token }

    /// The id before which the next page begins; nil when this is the last.
    package var next: TreeKey? { rows.next }

    /// Reads on, in one state of the tree, until the page has `limit` posts and knows whether more follow; or as far as
    /// one state is to be read.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        of uid: UserID, for viewer: UserID?, before cursor: TreeKey?, limit: Int, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        var blocks = BlockedPeople(of: viewer)
        return try rows.readOn(limit: limit, from: snapshot) {
            (end: TreeKey?, limit: Int) throws(TreeError) -> [TreeKey] in
            let range = (end ?? cursor).map { KeyRange.before($0) } ?? .all
            return try snapshot.keys(of: ReactionNodes.liked(uid), range: range, order: .descending, limit: limit)
        } position: {
            $0
        } read: { id throws(TreeError) in
            guard let record = try snapshot.get(PostNodes.post() / id),
                try !blocks.containAuthor(of: record, in: snapshot)
            else { return .hidden }
            if let fault = PostShape.fault(of: record) {
                return .skipped(SkippedRecord(id: id, fault: fault))
            }
            return .item(PostPage.Item(id: id, record: record))
        }
    }
}
