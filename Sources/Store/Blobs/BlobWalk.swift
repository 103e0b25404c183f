/// A walk over the names in a blob store, in the order of their bytes (`/` counts as a byte): a prefix, and a place behind it.
///
/// A walk is a value. It may be gone on with later, or by another process from its ``after`` alone: blobs that are written or
/// deleted meanwhile may be met or not, and all others are met once.
public struct BlobWalk: Sendable {
    /// The depth of a walk, and whether it tells sizes.
    public enum Detail: Sendable {
        /// The users who have blobs.
        case users
        /// The posts that have blobs. One that has lost its last blob may be among them.
        case posts
        /// The blobs. Sizes are told by stores that get them for nothing.
        case names
        /// The blobs and their sizes.
        case sizes
    }

    /// The depth.
    public let detail: Detail
    /// The user whose blobs are walked over; nil for all.
    public let userID: String?
    /// The post whose blobs are walked over; nil for all.
    public let postID: String?
    /// The path of the last entry that was given (``BlobEntry/path``); nil at the beginning.
    public private(set) var after: String?
    /// Anything that the store remembers from page to page, as it likes; it is free to do without.
    public private(set) var memory: (any Sendable)?

    /// Begins a walk over all blobs, those of a user, or those of a post of a user.
    public init(_ detail: Detail, userID: String? = nil, postID: String? = nil, after: String? = nil) {
        self.detail = detail
        self.userID = userID
        self.postID = userID == nil ? nil : postID
        self.after = after
    }

    /// The beginning that the paths of all entries have: empty, `user_id/`, or `user_id/post_id/`.
    public var prefix: String { [userID, postID].compactMap { $0.map { "\($0)/" } }.joined() }

    /// The same walk, behind an entry.
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
    /// The paths of what the store met on its way, and that is no blob and can be none; of an empty folder, too.
    public var strays: [String] = []
    /// The rest of the walk; nil at its end. A page may be short, or empty, and have one.
    public var next: BlobWalk?

    /// Makes a page.
    public init(entries: [BlobEntry] = [], strays: [String] = [], next: BlobWalk? = nil) {
        (self.entries, self.strays, self.next) = (entries, strays, next)
    }
}

/// A user, a post, or a blob that was met by a walk.
public struct BlobEntry: Hashable, Sendable {
    /// The user.
    public let userID: String
    /// The post; empty for a user.
    public let postID: String
    /// The blob's own name within its post; empty for a user or a post.
    public let fileName: String
    /// The blob's size in bytes; nil where that was not asked for.
    public let byteCount: Int?

    /// Describes what was met.
    public init(userID: String, postID: String = "", fileName: String = "", byteCount: Int? = nil) {
        (self.userID, self.postID, self.fileName, self.byteCount) = (userID, postID, fileName, byteCount)
    }

    /// The place in the order of a walk: `user_id/`, `user_id/post_id/` or `user_id/post_id/file_name`.
    public var path: String { postID.isEmpty ? "\(userID)/" : "\(userID)/\(postID)/\(fileName)" }
}
