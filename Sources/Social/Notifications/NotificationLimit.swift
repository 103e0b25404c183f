import Posts
import Tree

/// Keeps the newest notifications of each person, so that reading them all, or marking all of them, is one small piece of
/// work: with each one that comes, those that are too many go, the oldest first.
///
/// It belongs into a stratum before that of what counts notifications.
struct NotificationLimit: Derivation {
    /// The number of notifications that are kept of one person.
    static let maxNotifications = 500
    /// The most that go with one that comes; only after an import there are more to go.
    private static let batch = 8

    let place = TreePattern("notifications/*/*")

    func writes(
        for notification: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !notification.before.isThere, notification.after.isThere, !notification.isPartOfMore else { return [] }
        let person = notification.keys[0]
        // Without those of this commit, which are counted after this.
        let count = try snapshot.get(Paths.notificationCounts / person)?.integerValue ?? 0
        let excess = min(Int(clamping: count) + 1 - Self.maxNotifications, Self.batch)
        guard excess > 0 else { return [] }
        let list = "notifications" / person
        return try snapshot.keys(of: list, limit: excess).map { TreeWrite(path: list / $0, value: nil) }
    }
}

/// Lists the unread notifications of each person.
struct UnreadIndex: Derivation {
    static let unread: TreePath = "notifications/*/*/unread"

    let place = TreePattern(Self.unread)

    func writes(for mark: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        guard mark.before.isThere != mark.after.isThere else { return [] }
        let path = Paths.unreadLists / mark.keys[0] / mark.keys[1]
        return [TreeWrite(path: path, value: mark.after.isThere ? true : nil)]
    }
}
