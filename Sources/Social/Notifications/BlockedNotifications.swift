import Model
import Tree

/// Removes the notifications of two people about each other, with their deliveries, when one of them blocks the other.
///
/// It belongs before the derivations that count, deliver and create notifications: a block prevents notifications in
/// the same update.
struct BlockedNotifications: Derivation {
    let place: TreePattern

    /// Creates the derivation for one side of the blocks.
    ///
    /// - Parameter place: The path of the blocks, with two wildcards: the two people.
    init(of place: TreePath) { self.place = TreePattern(place) }

    func writes(
        for block: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard block.after.isThere, !block.before.isThere else { return [] }
        let (one, other) = (block.keys[0], block.keys[1])
        return try notices(to: one, of: other, in: snapshot) + notices(to: other, of: one, in: snapshot)
    }

    /// Returns the notifications of one person about another to remove. Announcements stay.
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
