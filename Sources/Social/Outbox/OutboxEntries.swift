import Model
import Tree

/// Has each new notification delivered, in the commit that makes it, while there is anything to deliver to.
///
/// It belongs behind what makes notifications and takes them back, and beside ``NotificationLimit``: what is dropped from a
/// full list is delivered all the same.
struct NotificationDeliveries: Derivation {
    let place = NotificationNodes.notification.pattern

    func writes(
        for notification: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard notification.before.isThere != notification.after.isThere,
            let recipient = UserID(notification.keys[0].string),
            let id = DeliveryID(position: notification.keys[1], lane: recipient.key)
        else { return [] }
        return try snapshot.deliveryWrites(
            id, of: NotificationNodes.notification(notification.keys[0], notification.keys[1]), notification, at: commit
        )
    }
}

/// The same for each announcement to everybody.
///
/// It belongs behind ``AnnouncementOrder``.
struct AnnouncementDeliveries: Derivation {
    let place = NotificationNodes.announcement.pattern

    func writes(
        for announcement: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        // What ends with one that is deleted is known where its position is (``AnnouncementOrder``).
        guard !announcement.before.isThere, announcement.after.isThere,
            let position = try snapshot.get(NotificationNodes.announcementPosition() / announcement.keys[0])?
                .stringValue
        else { return [] }
        let id = DeliveryID(position: TreeKey(unchecked: position), recipient: nil)
        let key = TreeWrite(
            path: id.path(below: OutboxNodes.entry()) / "notification" / "announcement",
            value: .string(announcement.keys[0].string))
        let kind = TreeWrite(
            path: id.path(below: OutboxNodes.entry()) / "notification" / "kind",
            value: .string(NotificationKind.announcement.rawValue))
        let writes = try snapshot.deliveryWrites(
            id, of: NotificationNodes.announcement() / announcement.keys[0], announcement, at: commit)
        return writes.isEmpty ? [] : writes + [key, kind]
    }
}

extension TreeSnapshot {
    /// The leaves of a message to the operator of what somebody has done; none while there is nothing to deliver to.
    func operatorDelivery(
        at position: TreeKey, of kind: NotificationKind, by actor: UserID, post: TreeKey, comment: TreeKey?,
        at commit: CommitPoint
    ) throws(TreeError) -> [TreeWrite] {
        guard try exists(OutboxNodes.isOn()) else { return [] }
        let id = DeliveryID(toOperatorAt: position)
        let path = id.path(below: OutboxNodes.entry())
        var fields: [(TreeKey, String)] = [("kind", kind.rawValue), ("post", post.string)]
        if let comment { fields.append(("comment", comment.string)) }
        var writes = fields.map { TreeWrite(path: path / "notification" / $0.0, value: .string($0.1)) }
        writes.append(TreeWrite(path: path / "notification" / "actor" / "uid", value: .string(actor.description)))
        for place in [path / "since", path / "notification" / "timestamp"] {
            writes.append(TreeWrite(path: place, value: commit.timestamp.value))
        }
        if try !exists(OutboxNodes.head() / id.lane) {
            writes += try OutboxQueue.writes(for: id.lane, due: commit.timestamp, in: self)
        }
        return writes
    }

    /// The fields of notifications and announcements that are delivered.
    private static let fields: [TreeKey] = [
        "kind", "actor", "author", "post", "comment", "announcement", "title", "text", "timestamp",
    ]

    /// The end of the delivery of what is gone; those behind it are due, if it has kept them waiting.
    func deliveryEnd(_ id: DeliveryID, at commit: CommitPoint) throws(TreeError) -> [TreeWrite] {
        let end = TreeWrite(path: id.path(below: OutboxNodes.entry()), value: nil)
        guard try keys(of: OutboxNodes.entry() / id.lane, limit: 1).first == id.position else { return [end] }
        return [end] + (try OutboxQueue.writes(for: id.lane, due: commit.timestamp, in: self))
    }

    /// The leaves of the delivery of something new, or the end of the delivery of what is gone.
    fileprivate func deliveryWrites(
        _ id: DeliveryID, of source: TreePath, _ node: ChangedNode, at commit: CommitPoint
    ) throws(TreeError) -> [TreeWrite] {
        let path = id.path(below: OutboxNodes.entry())
        guard node.after.isThere else { return try deliveryEnd(id, at: commit) }
        // What comes with an import is no news.
        guard !node.isPartOfMore, try exists(OutboxNodes.isOn()) else { return [] }
        var writes = [TreeWrite(path: path / "since", value: commit.timestamp.value)]
        for field in Self.fields {
            guard let value = try get(source / field) else { continue }
            let place = path / "notification" / (field == "author" ? "actor" : field)
            guard let object = value.object else {
                writes.append(TreeWrite(path: place, value: value))
                continue
            }
            for (key, value) in object where value.object == nil {
                writes.append(TreeWrite(path: place / key, value: value))
            }
        }
        if try !exists(OutboxNodes.head() / id.lane) {
            writes += try OutboxQueue.writes(for: id.lane, due: commit.timestamp, in: self)
        }
        return writes
    }
}
