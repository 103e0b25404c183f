/// A walk over the names in a blob store, in the order of their bytes (`/` counts as a byte): a prefix, and a position.
///
/// A walk is a value. It may be continued later, or by another process from its ``after`` alone. Blobs that are written
/// or deleted in the meantime may be included or not; each of the others is included exactly once.
public struct BlobWalk: Sendable {
    /// The depth of a walk, and whether it includes sizes.
    public enum Detail: Sendable {
        /// The users who have blobs.
        case users
        /// The posts that have blobs. Posts whose last blob was deleted may be among them.
        case posts
        /// The blobs. Sizes are included if the store has them at no extra cost.
        case names
        /// The blobs and their sizes.
        case sizes
    }

    /// The depth.
    public let detail: Detail
    /// The user whose blobs are listed; nil for all.
    public let userID: String?
    /// The post whose blobs are listed; nil for all.
    public let postID: String?
    /// The path of the last entry that was returned (``BlobEntry/path``); nil at the beginning.
    public private(set) var after: String?
    /// Data that the store keeps from page to page; a walk also works without them.
    public private(set) var memory: (any Sendable)?

    /// Creates a walk over all blobs, those of a user, or those of a post of a user.
    public init(_ detail: Detail, userID: String? = nil, postID: String? = nil, after: String? = nil) {
        self.detail = detail
        self.userID = userID
        self.postID = userID == nil ? nil : postID
        self.after = after
    }

    /// The prefix of the paths of all entries: empty, `user_id/`, or `user_id/post_id/`.
    public var prefix: String { [userID, postID].compactMap { $0.map { "\($0)/" } }.joined() }

    /// Returns the same walk, continued after an entry.
    public func behind(_ path: String?, memory: (any Sendable)? = nil) -> BlobWalk {
        var walk = self
        walk.after = path ?? after
        walk.memory = memory
        return walk
    }
}

/// A page of a walk.
public struct BlobPage: Sendable {
    /// The users, posts or blobs.
    public var entries: [BlobEntry] = []
    /// The paths of files that are not blobs, and of empty folders, that the store has found on its way.
    public var strays: [String] = []
    /// The rest of the walk; nil at its end. A page that has a rest may be short, or even empty.
    public var next: BlobWalk?

    /// Creates a page.
    public init(entries: [BlobEntry] = [], strays: [String] = [], next: BlobWalk? = nil) {
        (self.entries, self.strays, self.next) = (entries, strays, next)
    }
}

/// A user, a post, or a blob in a page.
public struct BlobEntry: Hashable, Sendable {
    /// The user.
    public let userID: String
    /// The post; empty for a user.
    public let postID: String
    /// The blob's own name within its post; empty for a user or a post.
    public let fileName: String
    /// The blob's size in bytes; nil if the walk does not include sizes.
    public let byteCount: Int?

    /// Creates an entry.
    public init(userID: String, postID: String = "", fileName: String = "", byteCount: Int? = nil) {
        (self.userID, self.postID, self.fileName, self.byteCount) = (userID, postID, fileName, byteCount)
    }

    /// The entry's position in the order of a walk: `user_id/`, `user_id/post_id/` or `user_id/post_id/file_name`.
    public var path: String { postID.isEmpty ? "\(userID)/" : "\(userID)/\(postID)/\(fileName)" }
}
