package import API
package import Model
package import Tree

/// The difference between two states of a reader's slice: what is new or has changed, with its present value, and what is
/// no longer in it.
package struct SliceChange: Sendable {
    /// A list of posts.
    package struct Posts: Sendable {
        /// Whether more has changed than is listed: the reader must read the list again.
        package var isReplaced = false
        package var items: [FeedItem] = []
        /// The posts that are no longer in the list.
        package var removed: [TreeKey] = []
        /// The people whose posts are no longer in the list.
        package var left: [UserID] = []
    }

    /// The numbers of a post whose record has not changed.
    package struct Counts: Sendable {
        package let post: TreeKey
        /// The numbers of likes and comments; nil if they are not shown.
        package let numbers: (likes: Int64, comments: Int64)?
        /// Whether the reader likes the post; nil if likes are not shown.
        package let isLiked: Bool?
    }

    package struct Notifications: Sendable {
        package var isReplaced = false
        package var documents: [NotificationDocument] = []
        package var removed: [TreeKey] = []
        /// The number of all unread notifications; nil if no notification has changed.
        package var unread: Int?
        /// The position of the oldest announcement among the notifications; nil for none. Announcements leave the list by
        /// their age, without a change.
        package var oldestAnnouncement: TreeKey?
    }

    package struct Audiences: Sendable {
        package var isReplaced = false
        package var audiences: [Audience] = []
        /// The audiences that the reader is no longer a member of.
        package var removed: [TreeKey] = []
    }

    package var feed = Posts()
    /// The posts that the reader has named.
    package var named = Posts()
    package var counts: [Counts] = []
    /// The posts of the reader's audiences.
    package var stories = Posts()
    package var notifications = Notifications()
    package var audiences = Audiences()
    /// The ids of the reader's own uploads that have changed.
    package var uploads: [PostID] = []
    /// The position up to which all changes are included.
    package let next: SyncToken
    /// Whether there may be more.
    package let hasMore: Bool

    /// The change between nothing and the present state.
    package static func everything(at token: SyncToken) -> SliceChange {
        var change = SliceChange(next: token, hasMore: false)
        change.feed.isReplaced = true
        change.named.isReplaced = true
        change.stories.isReplaced = true
        change.notifications.isReplaced = true
        change.audiences.isReplaced = true
        return change
    }
}
