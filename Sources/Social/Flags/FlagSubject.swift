package import Model
package import Tree

/// A post or a comment, as something that people may flag.
package struct FlagSubject: Hashable, Sendable {
    /// What stands for the comment where the post itself is meant.
    private static let none: TreeKey = "-"
    private static let (posts, comments): (TreeKey, TreeKey) = ("posts", "comments")

    let post: TreeKey
    /// Nil for the post itself.
    let comment: TreeKey?

    package init(post: PostID, comment: TreeKey? = nil) { self.init(post.key, comment) }

    init(_ post: TreeKey, _ comment: TreeKey?) { (self.post, self.comment) = (post, comment) }

    /// Reads the last three keys of a path that ``path(below:)`` has made.
    init?(_ path: TreePath) {
        let keys = path.keys.suffix(3).map(\.self)
        guard keys.count == 3, keys[0] == Self.comments || keys[0] == Self.posts && keys[2] == Self.none else {
            return nil
        }
        self.init(keys[1], keys[0] == Self.comments ? keys[2] : nil)
    }

    /// Where the flags are, by who flags it.
    var flags: TreePath { comment.map { ReactionNodes.commentFlag(post) / $0 } ?? ReactionNodes.postFlag(post) }

    /// Where it is itself; nil when there is no such thing.
    func path(in snapshot: TreeSnapshot) throws(TreeError) -> TreePath? {
        let places =
            comment.map { [ReactionNodes.comment(post) / $0] } ?? [
                AudienceNodes.post() / post, PostNodes.post() / post,
            ]
        for place in places where try snapshot.exists(place) { return place }
        return nil
    }

    /// Whether somebody sees it as far as audiences are concerned: a post for some is there for their members alone.
    func isVisible(to uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard let path = try path(in: snapshot) else { return false }
        guard path.keys.first == AudienceNodes.post().keys.first else { return true }
        let post = try snapshot.get(path)
        if post?["author"]?["uid"] == .string(uid.description) { return true }
        return try snapshot.commonAudience(of: uid, and: post) != nil
    }

    /// Where something about it stands in a list of posts and comments.
    func path(below root: TreePath) -> TreePath {
        root / (comment == nil ? Self.posts : Self.comments) / post / (comment ?? Self.none)
    }
}
