package import Model
package import Tree

/// A page of the posts that a person likes. A like may exist for a moment after its post, and a client of the database
/// may like a node that is not a post: these are skipped, and so are posts if the reader and the author have a block
/// between them.
package struct LikedPosts: Sendable {
    private var rows = PageRows<PostPage.Item, TreeKey>()

    /// The posts, with their ids.
    package var items: [PostPage.Item] { rows.items }
    /// The first records at `posts/` that are not posts.
    package var skipped: [SkippedRecord] { rows.skipped }
    /// Whether more posts follow this page.
    package var hasMore: Bool { rows.hasMore }
    /// The position in the change log of the first snapshot that was read.
    package var token: SyncToken? { rows.token }

    /// The id before which the next page begins; nil on the last page.
    package var next: TreeKey? { rows.next }

    /// Continues in a snapshot of the tree, until the page has `limit` posts and it is known whether more follow, or
    /// until the limit for one snapshot.
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
            return .item(try PostPage.Item(id: id, record: record, position: nil, in: snapshot))
        }
    }
}
