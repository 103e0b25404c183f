import Model
import Tree

/// The announcements among a person's notifications, with their unread state: only the newest ones, because older
/// announcements do not notify.
struct AnnouncementInbox {
    /// The largest number of announcements, so that counting them is cheap.
    static let maxAnnouncements = 100
    /// The time for which an announcement appears among notifications; it stays in the list of announcements.
    static let lifetime = Duration.seconds(30 * 86_400)

    struct Item {
        let position: TreeKey
        let id: TreeKey
        let isUnread: Bool
    }

    /// The announcements, the newest first.
    let items: [Item]
    /// The positions of the announcements that were marked as read one by one, as stored.
    private let readIDs: [TreeKey]
    private let mark: TreeKey?
    private let path: TreePath

    var unreadCount: Int { items.count(where: \.isUnread) }

    /// - Parameter now: The current time.
    init(of uid: UserID, at now: Timestamp, in snapshot: TreeSnapshot) throws(TreeError) {
        path = NotificationNodes.announcementsRead(uid)
        let read = try snapshot.get(path)
        let mark = read?["mark"]?.stringValue.map { TreeKey(unchecked: $0) }
        let ids = read?["ids"]?.object ?? [:]
        let rows = try snapshot.children(
            of: NotificationNodes.announcementInOrder(), order: .descending, limit: Self.maxAnnouncements)
        items = rows.compactMap { row in
            guard let entry = AnnouncementEntry(row.value), entry.time > now - Self.lifetime else { return nil }
            let isUnread = ids[row.key] == nil && mark.map { $0 < row.key } ?? true
            return Item(position: row.key, id: entry.id, isUnread: isUnread)
        }
        readIDs = Array(ids.keys)
        self.mark = mark
    }

    /// Marks all announcements up to a position as read.
    ///
    /// - Returns: The number of announcements that were unread.
    func markRead(upTo end: TreeKey?, _ update: inout MultiPathUpdate) -> Int {
        let reached = items.filter { item in end.map { item.position <= $0 } ?? true }
        let count = reached.count(where: \.isUnread)
        guard count > 0, let last = reached.first?.position else { return 0 }
        let mark = self.mark.map { max($0, last) } ?? last
        update[path / "mark"] = .string(mark.string)
        for id in readIDs where id <= mark { update[path / "ids" / id] = nil }
        return count
    }

    /// Marks announcements as read, by their positions.
    ///
    /// - Returns: The number of announcements that were unread.
    func markRead(_ positions: Set<TreeKey>, _ update: inout MultiPathUpdate) -> Int {
        let unread = items.filter { $0.isUnread && positions.contains($0.position) }
        guard !unread.isEmpty else { return 0 }
        for item in unread { update[path / "ids" / item.position] = true }
        // Positions that are no longer among the notifications are dropped.
        let known = Set(items.map(\.position))
        for id in readIDs where !known.contains(id) { update[path / "ids" / id] = nil }
        return unread.count
    }
}
