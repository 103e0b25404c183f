import Model
import Tree

/// The kinds of notifications.
package enum NotificationKind: String, CaseIterable, Sendable {
    /// A like of the recipient's post.
    case like
    /// A comment on the recipient's post.
    case comment
    /// A comment or a post that mentions the recipient.
    case mention
    /// A new follower of the recipient.
    case follow
    /// An announcement of an admin, to everybody or to some people.
    case announcement
    /// A flagged post or comment that an admin should review; for the operator alone.
    case flag
}

/// A notification to be written, of an action of a person.
struct NewNotification {
    let kind: NotificationKind
    let actor: UserID
    var post: TreeKey?
    var comment: TreeKey?

    /// Returns the writes of the notification, which is unread.
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
    /// Whether a person is notified of another person's actions: not of their own, and not if one has blocked the
    /// other.
    func tells(_ recipient: UserID, of actor: UserID) throws(TreeError) -> Bool {
        guard recipient != actor else { return false }
        return try !recipient.hasBlock(with: actor, in: self)
    }

    /// Returns the user id at a path; nil for any other value.
    func user(at path: TreePath) throws(TreeError) -> UserID? {
        try get(path)?.stringValue.flatMap { UserID($0) }
    }

    /// Returns the author of a post; nil if the post does not exist.
    func author(ofPost id: TreeKey) throws(TreeError) -> UserID? {
        try user(at: PostNodes.post() / id / "author" / "uid")
    }
}

/// The record of a notification at its cause, with which the notification is withdrawn together with its cause, and not
/// repeated at once: its id, its time, its kind and its recipient.
struct NotificationRecord {
    let id: TreeKey
    let time: Timestamp
    let kind: NotificationKind
    let recipient: UserID

    init(id: TreeKey, time: Timestamp, kind: NotificationKind, recipient: UserID) {
        (self.id, self.time, self.kind, self.recipient) = (id, time, kind, recipient)
    }

    /// Reads a record; nil for a malformed value.
    init?(_ value: TreeValue?) {
        let parts = value?.stringValue?.split(separator: " ") ?? []
        guard parts.count == 4, let id = try? TreeKey(String(parts[0])),
            let time = Int64(parts[1]).map(Timestamp.init(milliseconds:)),
            let kind = NotificationKind(rawValue: String(parts[2])), let recipient = UserID(String(parts[3]))
        else { return nil }
        self.init(id: id, time: time, kind: kind, recipient: recipient)
    }

    var value: TreeValue { .string("\(id) \(time) \(kind.rawValue) \(recipient)") }

    /// The path of the notification.
    var path: TreePath { NotificationNodes.notification(recipient) / id }

    /// Returns the writes that withdraw the notification and its delivery, which may exist even if a full list has
    /// dropped the notification.
    func withdrawal(at commit: CommitPoint, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        [TreeWrite(path: path, value: nil)]
            + (try snapshot.deliveryEnd(DeliveryID(position: id, recipient: recipient), at: commit))
    }
}
