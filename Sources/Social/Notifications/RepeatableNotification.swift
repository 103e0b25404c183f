import Model
import Tree

/// A notification of something that is there or not: a like, a follow. It goes with its cause; a cause that comes again
/// within a day makes no other one.
struct RepeatableNotification {
    /// The time in which the same is told only once.
    static let pause = Duration.seconds(86_400)

    let notice: NewNotification
    /// The path of the ``NotificationRecord``.
    let record: TreePath
    let source: NotificationPosition.Source

    /// The writes with which it appears; none if it should not.
    func writes(
        of node: ChangedNode, to recipient: UserID, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        // What comes with an import is no news.
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

    /// The writes with which it goes.
    ///
    /// - Parameter mayReturn: Whether its cause may come again.
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
