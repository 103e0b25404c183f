package import API
package import Model
import Social
package import TreeModel

/// The selection of the posts that a job processes.
package struct PostSelection: Sendable, Hashable {
    /// The author of the posts; nil for all.
    package var user: UserID?
    /// The earliest creation time of the posts; nil for no limit.
    package var since: Timestamp?
    /// Whether only posts that lack a rendition with the name of a recipe are processed, whatever that recipe was.
    package var onlyMissing = false
    /// The time before which the posts were created; nil for no limit.
    package var until: Timestamp?
    /// Whether only posts with a rendition that is missing or has the wrong size are processed.
    package var onlyDamaged = false
    /// The stored list of a job's posts; nil for no restriction.
    var list: PushID?
    /// The posts, in the order of their ids; nil for no restriction.
    package var ids: [PostID]?

    /// Selects all posts.
    package init() {}

    /// Reads a selection from text. `since` and `until` are a day (2026-05-01), an ISO 8601 time, or milliseconds; UTC.
    ///
    /// - Throws: `Failure`: `bad_user`, `bad_time`.
    package init(
        user: String?, since: String?, until: String? = nil, onlyMissing: Bool, onlyDamaged: Bool = false
    ) throws(Failure) {
        (self.onlyMissing, self.onlyDamaged) = (onlyMissing, onlyDamaged)
        if let user {
            guard let uid = UserID(user) else { throw Failure.noUserID(user) }
            self.user = uid
        }
        if let since { self.since = try WrittenTime.read(since) }
        if let until { self.until = try WrittenTime.read(until) }
    }

    /// The lists that contain the selected posts.
    var posts: PostIDLists {
        var lists = PostIDLists.all(of: user)
        if let list { lists = PostIDLists(lists: [WorkNodes.postList(list)]) }
        (lists.since, lists.until) = (since, until)
        return lists
    }
}
