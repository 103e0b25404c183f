import Model
import Tree

/// Notifies the author of a post of each comment on it, and each person whom a comment mentions.
struct CommentNotifications: Derivation {
    let place = ReactionNodes.comment.pattern

    func writes(
        for comment: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (post, key) = (comment.keys[0], comment.keys[1])
        // A comment without a post creates no notifications, but its deletion removes earlier ones.
        let author = try snapshot.author(ofPost: post)
        guard author != nil || !comment.after.isThere else { return [] }
        return try TextNotifications(
            node: comment, path: ReactionNodes.comment(post, key), source: .comment, post: post, comment: key,
            list: NotificationNodes.notedComment() / post / key
        ).writes(beside: author.map { ($0, .comment) }, at: commit, in: snapshot)
    }
}

/// Notifies each person whom a post mentions.
struct PostNotifications: Derivation {
    let place = PostNodes.post.pattern

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let id = post.keys[0]
        return try TextNotifications(
            node: post, path: PostNodes.post() / id, source: .post, post: id, comment: nil,
            list: NotificationNodes.notedPost() / id
        ).writes(beside: nil, at: commit, in: snapshot)
    }
}
