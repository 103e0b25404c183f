import Model
import Tree

/// A notification, or all those of likes of one post, which are told as one in the place of the newest.
///
/// They are put together when they are read: each like goes with its own cause, is read, delivered and blocked by itself, and
/// clients of the database see what they always saw.
struct NotificationGroup {
    /// The place of the newest, by which the group is marked as read.
    let id: TreeKey
    let newest: TreeValue
    /// The others, the newest first.
    private(set) var earlier: [TreeValue] = []

    init(_ row: TreeChild) { (id, newest) = (row.key, row.value) }

    var isUnread: Bool { ([newest] + earlier).contains { $0["unread"] != nil } }

    /// The groups of some notifications, in the same order.
    ///
    /// - Parameter rows: The newest first.
    private static func groups(of rows: [TreeChild]) -> [NotificationGroup] {
        var groups: [NotificationGroup] = []
        var places: [String: Int] = [:]
        for row in rows {
            if let post = row.value.likedPost {
                if let place = places[post] {
                    groups[place].earlier.append(row.value)
                    continue
                }
                places[post] = groups.count
            }
            groups.append(NotificationGroup(row))
        }
        return groups
    }

    // MARK: In a list

    /// A part of what somebody is told of, the newest first.
    ///
    /// - Parameter cursor: The id before which the part begins; nil for the newest.
    static func groups(
        of uid: UserID, before cursor: TreeKey?, limit: Int, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [NotificationGroup] {
        let rows = try newestRows(of: uid, in: snapshot)
        var groups = groups(of: rows).filter { group in cursor.map { group.id < $0 } ?? true }
        // Only after an import there are more. They are told one by one.
        if rows.count == NotificationLimit.maxNotifications, let last = rows.last?.key, groups.count < limit {
            let end = cursor.map { min($0, last) } ?? last
            groups += try snapshot.children(
                of: NotificationNodes.notification(uid), range: .before(end), order: .descending,
                limit: limit - groups.count
            ).map { NotificationGroup($0) }
        }
        return Array(groups.prefix(limit))
    }

    /// The unread likes that stand behind some notifications in their groups.
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

    /// The rows that are put together: as many as are kept.
    private static func newestRows(of uid: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeChild] {
        try snapshot.children(
            of: NotificationNodes.notification(uid), order: .descending, limit: NotificationLimit.maxNotifications)
    }
}

extension TreeValue {
    /// The post of whose like a notification tells; nil for other notifications.
    fileprivate var likedPost: String? {
        self["kind"]?.stringValue == NotificationKind.like.rawValue ? self["post"]?.stringValue : nil
    }
}
