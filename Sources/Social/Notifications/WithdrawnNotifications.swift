import Model
package import Tree

/// A like or a follow that was taken back: its ``NotificationRecord`` is kept for a while, so that the same is not told again.
struct WithdrawnNotification {
    /// When it was taken back.
    let time: Timestamp
    /// The path of the record, in ``NotificationNodes/notedLike`` or ``NotificationNodes/notedFollow``.
    let record: TreePath

    init(time: Timestamp, record: TreePath) { (self.time, self.record) = (time, record) }

    /// Reads a row; nil for what is none.
    init?(_ value: TreeValue?) {
        let parts = value?.stringValue?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, let time = Int64(parts[0]).map(Timestamp.init(milliseconds:)) else { return nil }
        let keys = parts[1].split(separator: "/").map { TreeKey(unchecked: String($0)) }
        self.init(time: time, record: TreePath(keys, in: .social))
    }

    var value: TreeValue { .string("\(time) \(record.keys.map(\.string).joined(separator: "/"))") }

    /// The like or the follow; nil where the record is none of these.
    var cause: TreePath? {
        let (list, subject) = (TreePath(record.keys.dropLast(2), in: .social), TreePath(record.keys.suffix(2)))
        switch list {
        case NotificationNodes.notedLike(): return ReactionNodes.like().appending(subject)
        case NotificationNodes.notedFollow(): return PeopleNodes.follower().appending(subject)
        default: return nil
        }
    }
}

/// All likes and follows that were taken back.
package struct WithdrawnNotifications: Sendable {
    /// The number of rows that one update forgets, each with its record.
    private static let batch = 250

    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Forgets the notifications of what was taken back a day before now, and has not come
    /// again: from then on the same would be told.
    package func forget(now: Timestamp) async throws {
        while try await forgetSome(before: now - RepeatableNotification.pause) { try Task.checkCancellation() }
    }

    /// - Returns: Whether there may be more.
    private func forgetSome(before deadline: Timestamp) async throws -> Bool {
        try await tree.transact { snapshot, update in
            let rows = try snapshot.children(of: NotificationNodes.withdrawn(), limit: Self.batch)
            for row in rows {
                let withdrawn = WithdrawnNotification(row.value)
                // In the order of time.
                if let withdrawn, withdrawn.time >= deadline { return false }
                update[NotificationNodes.withdrawn() / row.key] = nil
                guard let withdrawn, let cause = withdrawn.cause, try !snapshot.exists(cause) else { continue }
                update[withdrawn.record] = nil
            }
            return rows.count == Self.batch
        }.result
    }
}
