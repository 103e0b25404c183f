import Model
import Tree

/// A notification of a state that can be repeated: a like or a follow. It is withdrawn with its cause; a cause that is
/// repeated within a day creates no second notification.
struct RepeatableNotification {
    /// The time within which a repeated cause creates no notification.
    static let pause = Duration.seconds(86_400)

    let notice: NewNotification
    /// The path of the ``NotificationRecord``.
    let record: TreePath
    let source: NotificationPosition.Source

    /// Returns the writes that create the notification; none if it is not due.
    func writes(
        of node: ChangedNode, to recipient: UserID, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        // Imported data create no notifications.
        guard !node.isPartOfMore, try snapshot.tells(recipient, of: notice.actor) else { return [] }
        let now = commit.timestamp
        if let old = NotificationRecord(try snapshot.get(record)), old.recipient == recipient,
            (old.time...(old.time + Self.pause)).contains(now)
        {
            return []
        }
        let position = NotificationPosition.id(of: node, from: source, at: commit)
        let id = try snapshot.position(position, behindLastOf: recipient)
        let made = NotificationRecord(id: id.key, time: now, kind: notice.kind, recipient: recipient)
        return try notice.writes(to: recipient, as: id, at: commit, in: snapshot)
            + [TreeWrite(path: record, value: made.value)]
    }

    /// Returns the writes that withdraw the notification.
    ///
    /// - Parameter mayReturn: Whether its cause may be repeated.
    func withdrawal(
        of node: ChangedNode, at commit: CommitPoint, mayReturn: Bool, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard let old = NotificationRecord(try snapshot.get(record)) else { return [] }
        var isKept = mayReturn && commit.timestamp <= old.time + Self.pause
        for person in [notice.actor, old.recipient] where isKept {
            isKept = try !snapshot.exists(FollowUpTaskKind.deletePerson.path / person.key)
        }
        let withdrawal = try old.withdrawal(at: commit, in: snapshot)
        guard isKept else { return withdrawal + [TreeWrite(path: record, value: nil)] }
        let row = NotificationNodes.withdrawn() / NotificationPosition.id(of: node, from: source, at: commit).key
        let withdrawn = WithdrawnNotification(time: commit.timestamp, record: record)
        return withdrawal + [TreeWrite(path: row, value: withdrawn.value)]
    }
}
