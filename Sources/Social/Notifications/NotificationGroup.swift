import Model
import Tree

/// A notification, or all notifications of likes of one post, which are shown as one at the position of the newest.
///
/// Groups are built when they are read: each like is still withdrawn, read, delivered and blocked on its own, and
/// clients of the database see the separate notifications.
struct NotificationGroup {
    /// The id of the newest notification, with which the group is marked as read.
    let id: TreeKey
    let newest: TreeValue
    /// The other notifications, the newest first.
    private(set) var earlier: [TreeValue] = []
    /// The ids of all notifications, the newest first.
    private(set) var ids: [TreeKey]

    init(_ row: TreeChild) { (id, newest, ids) = (row.key, row.value, [row.key]) }

    var isUnread: Bool { ([newest] + earlier).contains { $0["unread"] != nil } }

    /// Returns the groups of some notifications, in the same order.
    ///
    /// - Parameter rows: The notifications, the newest first.
    private static func groups(of rows: [TreeChild]) -> [NotificationGroup] {
        var groups: [NotificationGroup] = []
        var places: [String: Int] = [:]
        for row in rows {
            if let post = row.value.likedPost {
                if let place = places[post] {
                    groups[place].earlier.append(row.value)
                    groups[place].ids.append(row.key)
                    continue
                }
                places[post] = groups.count
            }
            groups.append(NotificationGroup(row))
        }
        return groups
    }

    // MARK: Lists

    /// Returns a part of a person's notifications, the newest first.
    ///
    /// - Parameter cursor: The id before which the part begins; nil for the newest.
    static func groups(
        of uid: UserID, before cursor: TreeKey?, limit: Int, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [NotificationGroup] {
        let rows = try newestRows(of: uid, in: snapshot)
        var groups = groups(of: rows).filter { group in cursor.map { group.id < $0 } ?? true }
        // There are more only after an import. They are not grouped.
        if rows.count == NotificationLimit.maxNotifications, let last = rows.last?.key, groups.count < limit {
            let end = cursor.map { min($0, last) } ?? last
            groups += try snapshot.children(
                of: NotificationNodes.notification(uid), range: .before(end), order: .descending,
                limit: limit - groups.count
            ).map { NotificationGroup($0) }
        }
        return Array(groups.prefix(limit))
    }

    /// Returns the unread likes behind some notifications in their groups.
    ///
    /// - Parameter chosen: The ids of the groups.
    static func unreadLikes(
        behind chosen: Set<TreeKey>, of uid: UserID, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeKey] {
        var posts: Set<String> = []
        var ids: [TreeKey] = []
        for row in try newestRows(of: uid, in: snapshot) {
            guard let post = row.value.likedPost else { continue }
            if chosen.contains(row.key) {
                posts.insert(post)
            } else if posts.contains(post), row.value["unread"] != nil {
                ids.append(row.key)
            }
        }
        return ids
    }

    /// Returns the rows that are grouped: as many as are kept.
    private static func newestRows(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeChild] {
        try snapshot.children(
            of: NotificationNodes.notification(uid), order: .descending, limit: NotificationLimit.maxNotifications)
    }
}

extension TreeValue {
    /// The post of a notification of a like; nil for other notifications.
    fileprivate var likedPost: String? {
        self["kind"]?.stringValue == NotificationKind.like.rawValue ? self["post"]?.stringValue : nil
    }
}
