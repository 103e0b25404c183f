import Posts
package import Tree

/// A page of the posts that somebody likes. A like may outlive its post for a moment, and a client of the database may
/// like what is no post: these are passed over, and so are the posts of those whom a reader has blocked, or who have blocked
/// the reader.
package struct LikedPosts: Sendable {
    /// The posts, with their ids.
    package private(set) var items: [(id: TreeKey, record: TreeValue)] = []
    /// What stands at `posts/` and is no post, with what is wrong with it; the first ones.
    package private(set) var skipped: [(id: TreeKey, fault: String)] = []
    /// Whether posts follow this page.
    package private(set) var hasMore = false
    /// The id of the last post that the page has, or has passed over.
    private var end: TreeKey?
    /// The position in the change log of the first state that was read.
    package private(set) var token: SyncToken?

    /// The id before which the next page begins; nil when this is the last.
    package var next: TreeKey? { hasMore ? end : nil }

    /// The most records that are named when they are passed over.
    private static let maxSkipped = 1000
    /// The number of likes that one state of the tree is read for.
    private static let batch = 200

    /// Reads on, in one state of the tree, until the page has `limit` posts and knows whether more follow; or as far as
    /// one state is to be read.
    ///
    /// - Returns: Whether the page is complete.
    mutating func readOn(
        of uid: UserID, for viewer: UserID?, before cursor: TreeKey?, limit: Int, from snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        var blocks = BlockedPeople(of: viewer)
        if token == nil { token = try snapshot.token }
        let wanted = end == nil ? limit + 1 : Self.batch
        let range = (end ?? cursor).map { KeyRange.before($0) } ?? .all
        let ids = try snapshot.keys(of: Paths.liked(uid), range: range, order: .descending, limit: wanted)
        for id in ids {
            if let record = try snapshot.get(Paths.posts / id), try !blocks.containAuthor(of: record, in: snapshot) {
                if let fault = PostShape.fault(of: record) {
                    if skipped.count < Self.maxSkipped { skipped.append((id, fault)) }
                } else if items.count == limit {
                    hasMore = true
                    return true
                } else {
                    items.append((id, record))
                }
            }
            end = id
        }
        return ids.count < wanted
    }
}
