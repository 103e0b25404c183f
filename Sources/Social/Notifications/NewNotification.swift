import Model
import Tree

/// What somebody is told of.
package enum NotificationKind: String, CaseIterable, Sendable {
    /// Of a like of one's own post.
    case like
    /// Of a comment on one's own post.
    case comment
    /// Of a comment or a post that names one.
    case mention
    /// Of somebody who follows one.
    case follow
    /// Of what an admin says to all or to a few.
    case announcement
    /// Of a post or a comment that an admin should look at; for the operator alone.
    case flag
}

/// A notification that is to be written, of what somebody has done.
struct NewNotification {
    let kind: NotificationKind
    let actor: UserID
    var post: TreeKey?
    var comment: TreeKey?

    /// The leaves of the notification, which is unread.
    func writes(
        to recipient: UserID, as id: PostPosition, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let path = NotificationNodes.notification(recipient) / id.key
        let (name, picture) = try snapshot.nameAndPicture(of: actor)
        let author = Person(uid: actor, fullName: name, profilePicture: picture).author
        var writes = [
            TreeWrite(path: path / "kind", value: .string(kind.rawValue)),
            TreeWrite(path: path / "timestamp", value: commit.timestamp.value),
            TreeWrite(path: path / "unread", value: true),
        ]
        for (field, value) in author.object ?? [:] {
            writes.append(TreeWrite(path: path / "actor" / field, value: value))
        }
        if let post { writes.append(TreeWrite(path: path / "post", value: .string(post.string))) }
        if let comment { writes.append(TreeWrite(path: path / "comment", value: .string(comment.string))) }
        return writes
    }
}

extension TreeSnapshot {
    /// Whether somebody is told of what somebody else does: not of one's own doings, and not where one has blocked the other.
    func tells(_ recipient: UserID, of actor: UserID) throws(TreeError) -> Bool {
        guard recipient != actor else { return false }
        return try !recipient.hasBlock(with: actor, in: self)
    }

    /// The user whom a leaf names; nil for anything else.
    func user(at path: TreePath) throws(TreeError) -> UserID? {
        try get(path)?.stringValue.flatMap { UserID($0) }
    }

    /// Who has written a post; nil when there is no such post.
    func author(ofPost id: TreeKey) throws(TreeError) -> UserID? {
        try user(at: PostNodes.post() / id / "author" / "uid")
    }
}

/// What is known of a notification by its cause, so that it goes with that, and does not come again at once: its id, the
/// time at which it was made, its kind, and who was told.
struct NotificationRecord {
    let id: TreeKey
    let time: Timestamp
    let kind: NotificationKind
    let recipient: UserID

    init(id: TreeKey, time: Timestamp, kind: NotificationKind, recipient: UserID) {
        (self.id, self.time, self.kind, self.recipient) = (id, time, kind, recipient)
    }

    /// Reads a record; nil for what is none.
    init?(_ value: TreeValue?) {
        let parts = value?.stringValue?.split(separator: " ") ?? []
        guard parts.count == 4, let id = try? TreeKey(String(parts[0])),
            let time = Int64(parts[1]).map(Timestamp.init(milliseconds:)),
            let kind = NotificationKind(rawValue: String(parts[2])), let recipient = UserID(String(parts[3]))
        else { return nil }
        self.init(id: id, time: time, kind: kind, recipient: recipient)
    }

    var value: TreeValue { .string("\(id) \(time) \(kind.rawValue) \(recipient)") }

    /// The notification.
    var path: TreePath { NotificationNodes.notification(recipient) / id }

    /// The writes with which the notification is taken back: with its delivery, which is there also when a full list has
    /// dropped the notification.
    func withdrawal(at commit: CommitPoint, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        [TreeWrite(path: path, value: nil)]
            + (try snapshot.deliveryEnd(DeliveryID(position: id, recipient: recipient), at: commit))
    }
}
