import Model
import Tree

/// Limits the notifications of each person, so that reading or marking all of them is a small amount of work. Each new
/// notification above the limit removes old ones: among the oldest, first the likes, then those of the actor with the
/// most notifications. Neither many likes nor many comments of one person can therefore displace the notifications of
/// others.
///
/// It belongs after the counter of notifications, in a stratum that is not counted: it updates the number itself.
struct NotificationLimit: Derivation {
    /// The number of notifications that are kept for each person.
    static let maxNotifications = 500
    /// The largest number that one new notification removes; more are left only after an import.
    private static let batch = 8
    /// The number of the oldest notifications among which the removed ones are chosen.
    private static let choice = 64

    private let maxNotifications: Int
    let place = NotificationNodes.notification.pattern

    init(_ maxNotifications: Int) { self.maxNotifications = maxNotifications }

    func writes(
        for notification: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !notification.before.isThere, notification.after.isThere, !notification.isPartOfMore else { return [] }
        let person = notification.keys[0]
        let number = NotificationNodes.count() / person
        // The number includes the notifications of this commit.
        let count = Int(clamping: try snapshot.get(number)?.integerValue ?? 0)
        guard count > maxNotifications else { return [] }
        let list = NotificationNodes.notification(person)
        var oldest = try snapshot.children(of: list, limit: Self.choice)
        var dropped: [TreeKey] = []
        while dropped.count < min(count - maxNotifications, Self.batch), let next = Self.leastImportant(of: oldest) {
            dropped.append(oldest.remove(at: next).key)
        }
        return dropped.map { TreeWrite(path: list / $0, value: nil) }
            + [TreeWrite(path: number, value: .integer(Int64(count - dropped.count)))]
    }

    /// Returns the index of the notification to remove first; nil if there is none.
    ///
    /// - Parameter rows: The notifications, the oldest first.
    private static func leastImportant(of rows: [TreeChild]) -> Int? {
        let like = TreeValue.string(NotificationKind.like.rawValue)
        if let index = rows.firstIndex(where: { $0.value["kind"] == like }) { return index }
        let numbers = Dictionary(grouping: rows) { $0.value["actor"]?["uid"] }.mapValues(\.count)
        let most = numbers.values.max()
        return rows.firstIndex { numbers[$0.value["actor"]?["uid"]] == most }
    }
}

/// Lists the unread notifications of each person.
struct UnreadIndex: Derivation {
    static let unread = NotificationNodes.notification.path / "unread"

    let place = TreePattern(Self.unread)

    func writes(for mark: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        guard mark.before.isThere != mark.after.isThere else { return [] }
        let path = NotificationNodes.unreadID() / mark.keys[0] / mark.keys[1]
        return [TreeWrite(path: path, value: mark.after.isThere ? true : nil)]
    }
}
