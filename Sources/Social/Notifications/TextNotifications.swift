import Model
import Tree

/// The notifications of one text: a comment or a post. Each person is notified once, also when the text is edited. When
/// the text is deleted, or no longer mentions a person, its notifications are withdrawn.
struct TextNotifications {
    /// The largest number of mentions in a text that create notifications.
    static let maxMentions = 20
    /// The largest number of people who are notified of one text, however often it is edited.
    static let maxRecipients = 50

    let node: ChangedNode
    /// The node.
    let path: TreePath
    let source: NotificationPosition.Source
    /// The subject of the notifications; the actor is the author of the text.
    let post: TreeKey
    let comment: TreeKey?
    /// The path of the text's notifications, by their recipients (``NotificationRecord``).
    let list: TreePath

    /// - Parameter isTold: The person who is notified of the text itself, if it is new, before those whom it mentions;
    ///   nil for none.
    func writes(
        beside isTold: (uid: UserID, kind: NotificationKind)?, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let known = try snapshot.children(of: list, limit: Self.maxRecipients).compactMap {
            NotificationRecord($0.value)
        }
        guard node.after.isThere else {
            return try withdrawals(of: known, at: commit, in: snapshot)
                + (known.isEmpty ? [] : [TreeWrite(path: list, value: nil)])
        }
        // Imported data create no notifications.
        guard !node.isPartOfMore else { return [] }
        let mentioned = try mentioned(in: snapshot)
        let stale = known.filter { $0.kind == .mention && !mentioned.contains($0.recipient) }
        var recipients: [(uid: UserID, kind: NotificationKind)] = []
        if let isTold, !node.before.isThere { recipients.append(isTold) }
        for uid in mentioned where uid != isTold?.uid { recipients.append((uid, .mention)) }
        recipients.removeAll { recipient in known.contains { $0.recipient == recipient.uid } }
        return try withdrawals(of: stale, at: commit, in: snapshot)
            + (try news(for: recipients, room: Self.maxRecipients - known.count, at: commit, in: snapshot))
    }

    private func withdrawals(
        of records: [NotificationRecord], at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        var writes: [TreeWrite] = []
        for record in records { writes += try record.withdrawal(at: commit, in: snapshot) }
        return writes
    }

    /// Returns the writes of the missing notifications and their records.
    private func news(
        for recipients: [(uid: UserID, kind: NotificationKind)], room: Int, at commit: CommitPoint,
        in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !recipients.isEmpty, let actor = try snapshot.user(at: path / "author" / "uid") else { return [] }
        let position = NotificationPosition.id(of: node, from: source, at: commit)
        var room = room
        var writes: [TreeWrite] = []
        for (recipient, kind) in recipients where room > 0 {
            guard try snapshot.tells(recipient, of: actor) else { continue }
            room -= 1
            let id = try snapshot.position(position, behindLastOf: recipient)
            let notice = NewNotification(kind: kind, actor: actor, post: post, comment: comment)
            writes += try notice.writes(to: recipient, as: id, at: commit, in: snapshot)
            let record = NotificationRecord(
                id: id.key, time: commit.timestamp, kind: kind, recipient: recipient)
            writes.append(TreeWrite(path: list / recipient.key, value: record.value))
        }
        return writes
    }

    /// Returns the people whom the text mentions, without duplicates, in their order.
    private func mentioned(in snapshot: TreeSnapshot) throws(TreeError) -> [UserID] {
        var mentioned: [UserID] = []
        for key in try snapshot.keys(of: path / "mentions", limit: Self.maxMentions) {
            guard let uid = try snapshot.user(at: path / "mentions" / key / "uid"), !mentioned.contains(uid) else {
                continue
            }
            mentioned.append(uid)
        }
        return mentioned
    }
}
