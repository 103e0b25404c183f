import Model
package import Tree

/// A withdrawn like or follow: its ``NotificationRecord`` is kept for a while, so that a repetition creates no second
/// notification.
struct WithdrawnNotification {
    /// The time of the withdrawal.
    let time: Timestamp
    /// The path of the record, in ``NotificationNodes/notedLike`` or ``NotificationNodes/notedFollow``.
    let record: TreePath

    init(time: Timestamp, record: TreePath) { (self.time, self.record) = (time, record) }

    /// Reads a row; nil for a malformed value.
    init?(_ value: TreeValue?) {
        let parts = value?.stringValue?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, let time = Int64(parts[0]).map(Timestamp.init(milliseconds:)) else { return nil }
        let keys = parts[1].split(separator: "/").map { TreeKey(unchecked: String($0)) }
        self.init(time: time, record: TreePath(keys, in: .social))
    }

    var value: TreeValue { .string("\(time) \(record.keys.map(\.string).joined(separator: "/"))") }

    /// The path of the like or the follow; nil if the record is for neither.
    var cause: TreePath? {
        let (list, subject) = (TreePath(record.keys.dropLast(2), in: .social), TreePath(record.keys.suffix(2)))
        switch list {
        case NotificationNodes.notedLike(): return ReactionNodes.like().appending(subject)
        case NotificationNodes.notedFollow(): return PeopleNodes.follower().appending(subject)
        default: return nil
        }
    }
}

/// The withdrawn likes and follows.
package struct WithdrawnNotifications: Sendable {
    /// The number of rows that one update deletes, each with its record.
    private static let batch = 250

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Deletes the records of likes and follows that were withdrawn a day ago and not repeated; a later repetition
    /// creates a notification again.
    package func forget(now: Timestamp) async throws {
        while try await forgetSome(before: now - RepeatableNotification.pause) { try Task.checkCancellation() }
    }

    /// - Returns: Whether there may be more.
    private func forgetSome(before deadline: Timestamp) async throws -> Bool {
        try await tree.transact { snapshot, update in
            let rows = try snapshot.children(of: NotificationNodes.withdrawn(), limit: Self.batch)
            for row in rows {
                let withdrawn = WithdrawnNotification(row.value)
                // The rows are in the order of their times.
                if let withdrawn, withdrawn.time >= deadline { return false }
                update[NotificationNodes.withdrawn() / row.key] = nil
                guard let withdrawn, let cause = withdrawn.cause, try !snapshot.exists(cause) else { continue }
                update[withdrawn.record] = nil
            }
            return rows.count == Self.batch
        }.result
    }
}
