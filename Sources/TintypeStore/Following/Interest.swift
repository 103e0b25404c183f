import TintypeModel

/// Something that an open view shows, and that the device follows only while it is shown.
enum Interest: Hashable, Sendable {
    /// A part of the tree.
    case tree(TreeWindow)
    /// The comments on a post.
    case comments(Post.ID)
    /// The newest posts of a list that synchronisation does not cover.
    case list(ListName)
    /// A post that may be in no list that synchronisation covers.
    case post(Post.ID)
}
