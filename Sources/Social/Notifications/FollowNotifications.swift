import Model
import Tree

/// Notifies a person of each new follower, as long as the link exists. There is one derivation for each side of the
/// link, because a client may write either side, or both at once.
///
/// It belongs in the stratum of ``ReverseLink``, so that the derived other side does not create a second notification.
struct FollowNotifications: Derivation {
    private let side: NotificationPosition.Source
    let place: TreePattern

    /// The side whose first key is the follower.
    static let ofFollowing = FollowNotifications(side: .following, place: PeopleNodes.following.path)
    /// The side whose first key is the followee.
    static let ofFollowers = FollowNotifications(side: .followers, place: PeopleNodes.follower.path)

    private init(side: NotificationPosition.Source, place: TreePath) {
        self.side = side
        self.place = TreePattern(place)
    }

    func writes(
        for link: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let keys = side == .following ? link.keys : link.keys.reversed()
        guard link.before.isThere != link.after.isThere, let follower = UserID(keys[0].string),
            let followee = UserID(keys[1].string)
        else { return [] }
        let notice = RepeatableNotification(
            notice: NewNotification(kind: .follow, actor: follower),
            record: NotificationNodes.notedFollow() / keys[1] / keys[0],
            source: side)
        guard link.after.isThere else {
            return try notice.withdrawal(of: link, at: commit, mayReturn: true, in: snapshot)
        }
        return try notice.writes(of: link, to: followee, at: commit, in: snapshot)
    }
}
