/// The answer of the service to a device: what is new or has changed since a position, with its present value, and what
/// is no longer there. A part in which nothing has changed is nil.
public struct SyncChanges: Hashable, Sendable {
    /// The position after these changes, which the next request names. It begins with the number of a change.
    public var next: String
    /// Whether there may be more at once.
    public var hasMore: Bool
    /// The posts of the home feed.
    public var feed: Part<Post>?
    /// The other posts that the request has named.
    public var posts: Part<Post>?
    /// The numbers of posts that have not changed otherwise.
    public var counts: [Counts] = []
    /// The posts of the user's audiences.
    public var stories: Part<Post>?
    /// Notifications and announcements.
    public var notifications: Part<SocialNotification>?
    /// The audiences of which the user is a member.
    public var audiences: Part<Audience>?
    /// The user's own uploads.
    public var uploads: Part<Upload>?
    /// The faults outside of the parts, which have faults of their own; mostly empty.
    public private(set) var faults: [DecodingFault] = []

    /// The number of the last change that these changes include; nil for a position of another form.
    public var changeNumber: Int64? { Int64(next.prefix { $0.isASCII && $0.isNumber }) }

    /// Whether nothing has changed, and nothing was left out.
    public var isEmpty: Bool {
        feed == nil && posts == nil && counts.isEmpty && stories == nil && notifications == nil && audiences == nil
            && uploads == nil && faults.isEmpty
    }

    /// Creates changes.
    public init(next: String, hasMore: Bool = false) { (self.next, self.hasMore) = (next, hasMore) }
}

extension SyncChanges {
    /// The numbers of a post that has not changed otherwise.
    public struct Counts: Codable, Hashable, Sendable {
        /// The id of the post.
        public var postID: Post.ID
        /// The number of likes; nil if the user may not read it.
        public var likes: Int?
        /// The number of comments; nil if the user may not read it.
        public var comments: Int?
        /// Whether the user likes the post; nil if the user may not read likes.
        public var isLiked: Bool?

        /// Creates counts.
        public init(postID: Post.ID, likes: Int?, comments: Int?, isLiked: Bool?) {
            (self.postID, self.likes, self.comments, self.isLiked) = (postID, likes, comments, isLiked)
        }

        /// Decodes counts.
        public init(from decoder: any Decoder) throws {
            var fields = try FieldReader(decoder)
            postID = try fields.required(Post.idName)
            likes = fields.number("likes")
            comments = fields.number("comments")
            isLiked = fields.optional("liked")
        }

        /// Encodes the counts in the form of the service.
        public func encode(to encoder: any Encoder) throws {
            var fields = try FieldWriter(encoder)
            try fields.set(Post.idName, postID)
            try fields.set("likes", likes)
            try fields.set("comments", comments)
            try fields.set("liked", isLiked)
        }
    }
}

extension SyncChanges: Codable {
    /// Decodes changes; elements that cannot be read are left out, each with a fault.
    ///
    /// - Throws: `DecodingError` without a position.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        next = try fields.required("next")
        hasMore = fields.flag("more")
        feed = fields.optional("feed")
        posts = fields.optional("posts")
        counts = fields.list("counts", idName: Post.idName)
        stories = fields.optional("stories")
        notifications = fields.optional("notifications")
        audiences = fields.optional("audiences")
        uploads = fields.optional("uploads")
        faults = fields.faults
    }

    /// Encodes the changes in the form of the service.
    public func encode(to encoder: any Encoder) throws {
        var fields = try FieldWriter(encoder)
        try fields.set("next", next)
        try fields.set("more", hasMore)
        try fields.set("feed", feed)
        try fields.set("posts", posts)
        try fields.set("counts", list: counts)
        try fields.set("stories", stories)
        try fields.set("notifications", notifications)
        try fields.set("audiences", audiences)
        try fields.set("uploads", uploads)
    }
}
