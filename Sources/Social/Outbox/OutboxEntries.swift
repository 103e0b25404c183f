import Model
import Tree

/// Adds each new notification to the outbox, in the commit that creates it, while the outbox is on.
///
/// It belongs after the derivations that create and withdraw notifications, in the stratum before
/// ``NotificationLimit``: notifications that are dropped from a full list are delivered all the same.
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

/// Adds each announcement to everybody to the outbox, in the same way.
///
/// It belongs after ``AnnouncementOrder``.
struct AnnouncementDeliveries: Derivation {
    let place = NotificationNodes.announcement.pattern

    func writes(
        for announcement: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        // The delivery of a deleted announcement ends where its position is known (``AnnouncementOrder``).
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
    /// Returns the writes of a message to the operator about a person's action; none while the outbox is off.
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

    /// Returns the writes that end the delivery of withdrawn data; if it was the first of its lane, the next one
    /// becomes due.
    func deliveryEnd(_ id: DeliveryID, at commit: CommitPoint) throws(TreeError) -> [TreeWrite] {
        let end = TreeWrite(path: id.path(below: OutboxNodes.entry()), value: nil)
        guard try keys(of: OutboxNodes.entry() / id.lane, limit: 1).first == id.position else { return [end] }
        return [end] + (try OutboxQueue.writes(for: id.lane, due: commit.timestamp, in: self))
    }

    /// Returns the writes of the delivery of a new node, or those that end the delivery of a deleted one.
    fileprivate func deliveryWrites(
        _ id: DeliveryID, of source: TreePath, _ node: ChangedNode, at commit: CommitPoint
    ) throws(TreeError) -> [TreeWrite] {
        let path = id.path(below: OutboxNodes.entry())
        guard node.after.isThere else { return try deliveryEnd(id, at: commit) }
        // Imported data are not delivered.
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
