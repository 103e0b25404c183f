import Model
import Tree

/// Notifies the author of a post of each like, as long as the like exists.
struct LikeNotifications: Derivation {
    let place = ReactionNodes.like.pattern

    func writes(
        for like: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (post, liker) = (like.keys[0], like.keys[1])
        guard like.before.isThere != like.after.isThere, let actor = UserID(liker.string) else { return [] }
        let notice = RepeatableNotification(
            notice: NewNotification(kind: .like, actor: actor, post: post),
            record: NotificationNodes.notedLike() / post / liker,
            source: .like)
        let author = try snapshot.author(ofPost: post)
        guard like.after.isThere else {
            return try notice.withdrawal(of: like, at: commit, mayReturn: author != nil, in: snapshot)
        }
        guard let author else { return [] }
        return try notice.writes(of: like, to: author, at: commit, in: snapshot)
    }
}
