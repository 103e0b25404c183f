/// The difference between two states of what a reader's devices keep: what is new or has changed, with its present value,
/// and what is no longer there. A part in which nothing has changed is nil.
package struct SyncDocument: Document {
    /// A list of posts.
    package struct Posts: Document {
        /// Whether these posts, the newest ones, replace the list; nil otherwise.
        package var reset: Bool?
        /// The posts: for a reset the last published first, otherwise the first published first.
        package var posts: [PostDocument] = []
        /// The ids of posts that are no longer in the list; nil for none.
        package var removed: [String]?
        /// The ids of people whose posts are no longer in the list; nil for none.
        package var left: [String]?
        /// The cursor with which the list continues after a reset; nil if these are all posts.
        package var next: String?
        /// False if older posts are still being added after a reset; otherwise nil.
        package var complete: Bool?

        package init() {}
    }

    /// The numbers of a post that is otherwise unchanged.
    package struct Counts: Document {
        package let postID: String
        /// The numbers; nil if the rules do not let the reader read them.
        package let likes: Int64?
        package let comments: Int64?
        /// Whether the reader likes the post; nil if the rules do not let the reader read likes.
        package let liked: Bool?

        private enum CodingKeys: String, CodingKey {
            case postID = "post_id"
            case likes, comments, liked
        }

        package init(postID: String, likes: Int64?, comments: Int64?, liked: Bool?) {
            (self.postID, self.likes, self.comments, self.liked) = (postID, likes, comments, liked)
        }
    }

    package struct Notifications: Document {
        package var reset: Bool?
        package var notifications: [NotificationDocument] = []
        package var removed: [String]?
        /// The number of all unread notifications.
        package var unread: Int
        package var next: String?

        package init(unread: Int) { self.unread = unread }
    }

    package struct Audiences: Document {
        package var reset: Bool?
        package var audiences: [AudienceDocument] = []
        package var removed: [String]?
        package var next: String?

        package init() {}
    }

    package struct Uploads: Document {
        package var reset: Bool?
        package var uploads: [UploadDocument] = []

        package init() {}
    }

    /// The position after this difference, to be sent as `since`.
    package let next: String
    /// Whether there may be more at once.
    package let more: Bool
    package var feed: Posts?
    /// The posts that the request names.
    package var posts: Posts?
    package var counts: [Counts]?
    package var stories: Posts?
    package var notifications: Notifications?
    package var audiences: Audiences?
    package var uploads: Uploads?

    package init(next: String, more: Bool) { (self.next, self.more) = (next, more) }

    /// Whether nothing has changed.
    package var isEmpty: Bool {
        feed == nil && posts == nil && counts == nil && stories == nil && notifications == nil && audiences == nil
            && uploads == nil
    }
}
