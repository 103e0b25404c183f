import Model
import Tree

/// Maintains the order of publication of announcements in the commits that add and delete them, by any writer. A record
/// without a text is not an announcement.
struct AnnouncementOrder: Derivation {
    let place = TreePattern(NotificationNodes.announcement.path / "text")

    func writes(
        for text: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let known = NotificationNodes.announcementPosition() / text.keys[0]
        let old = try snapshot.get(known)?.stringValue
        guard case .leaf(.string) = text.after else {
            guard let old = old.map({ TreeKey(unchecked: $0) }) else { return [] }
            return [
                TreeWrite(path: known, value: nil),
                TreeWrite(path: NotificationNodes.announcementInOrder() / old, value: nil),
            ] + (try snapshot.deliveryEnd(DeliveryID(position: old, recipient: nil), at: commit))
        }
        guard old == nil else { return [] }
        let position = NotificationPosition.id(of: text, from: .announcement, at: commit).key
        let entry = AnnouncementEntry(time: commit.timestamp, id: text.keys[0])
        return [
            TreeWrite(path: known, value: .string(position.string)),
            TreeWrite(path: NotificationNodes.announcementInOrder() / position, value: entry.value),
        ]
    }
}

/// An entry of the order of announcements.
struct AnnouncementEntry {
    /// The time of publication.
    let time: Timestamp
    let id: TreeKey

    init(time: Timestamp, id: TreeKey) { (self.time, self.id) = (time, id) }

    /// Reads an entry; nil for a malformed value.
    init?(_ value: TreeValue) {
        let parts = value.stringValue?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, let time = Int64(parts[0]).map(Timestamp.init(milliseconds:)),
            let id = try? TreeKey(String(parts[1]))
        else {
            return nil
        }
        self.init(time: time, id: id)
    }

    var value: TreeValue { .string("\(time) \(id)") }
}

/// Notifies each recipient of a direct announcement, until it is withdrawn.
struct DirectAnnouncementNotifications: Derivation {
    let place = TreePattern(NotificationNodes.letter.path / "to" / "*")

    func writes(
        for recipient: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard recipient.before.isThere != recipient.after.isThere, let uid = UserID(recipient.keys[1].string) else {
            return []
        }
        let (letter, record) = (recipient.keys[0], NotificationNodes.notedLetter() / recipient.keys[0] / uid.key)
        guard recipient.after.isThere else {
            guard let id = try snapshot.get(record)?.stringValue.map({ TreeKey(unchecked: $0) }) else { return [] }
            return [
                TreeWrite(path: NotificationNodes.notification(uid) / id, value: nil),
                TreeWrite(path: record, value: nil),
            ] + (try snapshot.deliveryEnd(DeliveryID(position: id, recipient: uid), at: commit))
        }
        let position = NotificationPosition.id(of: recipient, from: .letter, at: commit)
        let id = try snapshot.position(position, behindLastOf: uid).key
        let path = NotificationNodes.notification(uid) / id
        var writes = [
            TreeWrite(path: record, value: .string(id.string)),
            TreeWrite(path: path / "kind", value: .string(NotificationKind.announcement.rawValue)),
            TreeWrite(path: path / "announcement", value: .string(letter.string)),
            TreeWrite(path: path / "timestamp", value: commit.timestamp.value),
            TreeWrite(path: path / "unread", value: true),
        ]
        for field in ["title", "text"] as [TreeKey] {
            guard let text = try snapshot.get(NotificationNodes.letter() / letter / field) else { continue }
            writes.append(TreeWrite(path: path / field, value: text))
        }
        let author = NotificationNodes.letter() / letter / "author"
        for (field, value) in try snapshot.get(author)?.object ?? [:] {
            writes.append(TreeWrite(path: path / "actor" / field, value: value))
        }
        return writes
    }
}
