package import Model
package import Tree

/// A post or a comment that people may flag.
package struct FlagSubject: Hashable, Sendable {
    /// The key in place of a comment for the post itself.
    private static let none: TreeKey = "-"
    private static let (posts, comments): (TreeKey, TreeKey) = ("posts", "comments")

    let post: TreeKey
    /// The comment; nil for the post itself.
    let comment: TreeKey?

    package init(post: PostID, comment: TreeKey? = nil) { self.init(post.key, comment) }

    init(_ post: TreeKey, _ comment: TreeKey?) { (self.post, self.comment) = (post, comment) }

    /// Reads the last three keys of a path that ``path(below:)`` has created.
    init?(_ path: TreePath) {
        let keys = path.keys.suffix(3).map(\.self)
        guard keys.count == 3, keys[0] == Self.comments || keys[0] == Self.posts && keys[2] == Self.none else {
            return nil
        }
        self.init(keys[1], keys[0] == Self.comments ? keys[2] : nil)
    }

    /// The path of the flags, by the people who flag it.
    var flags: TreePath { comment.map { ReactionNodes.commentFlag(post) / $0 } ?? ReactionNodes.postFlag(post) }

    /// Returns the path of the post or comment itself; nil if it does not exist.
    func path(in snapshot: TreeSnapshot) throws(TreeError) -> TreePath? {
        let places =
            comment.map { [ReactionNodes.comment(post) / $0] } ?? [
                AudienceNodes.post() / post, PostNodes.post() / post,
            ]
        for place in places where try snapshot.exists(place) { return place }
        return nil
    }

    /// Whether a person may see it by its audiences: a post for audiences is visible only to their members and its
    /// author.
    func isVisible(to uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard let path = try path(in: snapshot) else { return false }
        guard path.keys.first == AudienceNodes.post().keys.first else { return true }
        let post = try snapshot.get(path)
        if post?["author"]?["uid"] == .string(uid.description) { return true }
        return try snapshot.commonAudience(of: uid, and: post) != nil
    }

    /// Returns the path of its entry in a list of posts and comments.
    func path(below root: TreePath) -> TreePath {
        root / (comment == nil ? Self.posts : Self.comments) / post / (comment ?? Self.none)
    }
}
