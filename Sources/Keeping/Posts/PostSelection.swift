package import API
package import Model
import Social
package import TreeModel

/// The posts that a job is for.
package struct PostSelection: Sendable, Hashable {
    /// Only this person's posts.
    package var user: UserID?
    /// Only posts made since then.
    package var since: Timestamp?
    /// Only posts that lack a rendition of a recipe by its name, however it was made.
    package var onlyMissing = false
    /// Only posts made before then.
    package var until: Timestamp?
    /// Only posts of which a rendition is not there, or has another size than it had.
    package var onlyDamaged = false
    /// Only the posts of this list, which a job has; nil for all others.
    var list: PushID?
    /// Only these posts, in the order of their ids; nil for all others.
    package var ids: [PostID]?

    /// All posts.
    package init() {}

    /// Reads a selection as people write it: `since` and `until` are a day (2026-05-01), an ISO 8601 time, or milliseconds; UTC.
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

    /// The lists that have these posts.
    var posts: PostIDLists {
        var lists = PostIDLists.all(of: user)
        if let list { lists = PostIDLists(lists: [WorkNodes.postList(list)]) }
        (lists.since, lists.until) = (since, until)
        return lists
    }
}
