import Model
import Tree

/// Takes what two people were told of one another out of both lists, with its deliveries, when one of them blocks the other.
///
/// It belongs before what counts and delivers notifications, and before what makes them: who is blocked in an update is
/// nobody to be told of in it.
struct BlockedNotifications: Derivation {
    let place: TreePattern

    /// Follows one side of the blocks.
    ///
    /// - Parameter place: The blocks, with two wildcards: the two people.
    init(of place: TreePath) { self.place = TreePattern(place) }

    func writes(
        for block: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard block.after.isThere, !block.before.isThere else { return [] }
        let (one, other) = (block.keys[0], block.keys[1])
        return try notices(to: one, of: other, in: snapshot) + notices(to: other, of: one, in: snapshot)
    }

    /// The ends of what somebody was told of somebody else. What an admin has announced stays.
    private func notices(
        to recipient: TreeKey, of actor: TreeKey, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let list = NotificationNodes.notification(recipient)
        let rows = try snapshot.children(of: list, order: .descending, limit: NotificationLimit.maxNotifications)
        return rows.filter { row in
            row.value["actor"]?["uid"]?.stringValue == actor.string
                && row.value["kind"]?.stringValue != NotificationKind.announcement.rawValue
        }.map { TreeWrite(path: list / $0.key, value: nil) }
    }
}
