import Posts
import Tree

/// Keeps the newest notifications of each person, so that reading them all, or marking all of them, is one small piece of
/// work: with each one that comes, those that are too many go, the oldest first.
///
/// It belongs behind what counts notifications, in no stratum that is counted itself: it takes off the number what it removes.
struct NotificationLimit: Derivation {
    /// The number of notifications that are kept of one person.
    static let maxNotifications = 500
    /// The most that go with one that comes; only after an import there are more to go.
    private static let batch = 8

    private let maxNotifications: Int
    let place = TreePattern("notifications/*/*")

    init(_ maxNotifications: Int) { self.maxNotifications = maxNotifications }

    func writes(
        for notification: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !notification.before.isThere, notification.after.isThere, !notification.isPartOfMore else { return [] }
        let person = notification.keys[0]
        let number = Paths.notificationCounts / person
        // With those of this commit.
        let count = Int(clamping: try snapshot.get(number)?.integerValue ?? 0)
        guard count > maxNotifications else { return [] }
        let list = "notifications" / person
        let oldest = try snapshot.keys(of: list, limit: min(count - maxNotifications, Self.batch))
        return oldest.map { TreeWrite(path: list / $0, value: nil) }
            + [TreeWrite(path: number, value: .integer(Int64(count - oldest.count)))]
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
