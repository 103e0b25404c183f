package import API
package import Model
package import Tree

/// The notifications of people, combined with the announcements to everybody, in the order of publication.
package struct Notifications: Sendable {
    /// The largest number of ids in a request that marks notifications as read.
    package static let maxIDs = 200
    /// The largest number of notifications that one update marks.
    private static let batch = NotificationLimit.maxNotifications

    /// The notifications to mark as read.
    package enum Selection: Sendable, Hashable {
        case all
        /// A notification and all before it.
        case upTo(TreeKey)
        /// The notifications with these ids, if they exist.
        case ids(Set<TreeKey>)
        /// The notifications with these ids, and with each like the others of its group.
        case groups(Set<TreeKey>)
    }

    private let tree: TreeStore
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: Returns the current time.
    package init(_ tree: TreeStore, clock: @escaping @Sendable () -> Timestamp) {
        self.tree = tree
        self.clock = clock
    }

    // MARK: Reading

    /// Returns a page of a person's notifications, the newest first.
    ///
    /// - Parameters:
    ///   - cursor: The id before which the page begins; nil for the newest.
    ///   - isGrouped: Whether likes of one post are shown as one.
    /// - Returns: The page, and the position in the change log that it shows.
    package func page(
        of uid: UserID, before cursor: TreeKey?, limit: Int, isGrouped: Bool = false
    ) async throws -> (document: NotificationPageDocument, token: SyncToken) {
        let now = clock()
        return try await tree.snapshot { snapshot in
            let inbox = try AnnouncementInbox(of: uid, at: now, in: snapshot)
            let groups =
                if isGrouped {
                    try NotificationGroup.groups(of: uid, before: cursor, limit: limit + 1, in: snapshot)
                } else {
                    try snapshot.children(
                        of: NotificationNodes.notification(uid), range: cursor.map { .before($0) } ?? .all,
                        order: .descending,
                        limit: limit + 1
                    ).map { NotificationGroup($0) }
                }
            let entries =
                groups.map { Entry(id: $0.id, content: .group($0)) }
                + inbox.items.filter { item in cursor.map { item.position < $0 } ?? true }
                .map { Entry(id: $0.position, content: .announcement($0)) }
            let page = entries.sorted { $1.id < $0.id }.prefix(limit)
            let hasMore = entries.count > limit
            let times = try EntityTimes.stored(
                below: TimeNodes.notification(uid), of: page.flatMap(\.notifications), in: snapshot)
            return (
                NotificationPageDocument(
                    notifications: try page.map { try NotificationDocument($0, times, in: snapshot) },
                    hasMore: hasMore,
                    next: hasMore ? page.last?.id.string : nil,
                    unread: try snapshot.unreadCount(of: uid) + inbox.unreadCount),
                try snapshot.token
            )
        }
    }

    // MARK: Marking

    /// Marks notifications as read.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: The number of unread notifications after the change, and the position in the change log just after
    ///   it.
    /// - Throws: `Failure` with the code `key_reused` for the key of another request.
    package func markRead(
        _ selection: Selection, by uid: UserID, as key: RequestKey? = nil
    ) async throws -> (unread: Int, token: SyncToken) {
        let now = clock()
        while true {
            let (step, token) = try await tree.transact { snapshot, update in
                if try key?.made(in: snapshot) != nil {
                    let inbox = try AnnouncementInbox(of: uid, at: now, in: snapshot)
                    return Step(unread: try snapshot.unreadCount(of: uid) + inbox.unreadCount, isComplete: true)
                }
                let step = try Self.markRead(selection, by: uid, at: now, in: snapshot, &update)
                if step.isComplete { key?.note(in: &update) }
                return step
            }
            // One update suffices, except after an import.
            if step.isComplete { return (step.unread, token) }
            try Task.checkCancellation()
        }
    }

    private struct Step: Sendable {
        let unread: Int
        let isComplete: Bool
    }

    private static func markRead(
        _ selection: Selection, by uid: UserID, at now: Timestamp, in snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Step {
        let inbox = try AnnouncementInbox(of: uid, at: now, in: snapshot)
        let list = NotificationNodes.unreadID(uid)
        let (ids, readAnnouncements): ([TreeKey], Int)
        switch selection {
        case .all:
            ids = try snapshot.keys(of: list, limit: batch)
            readAnnouncements = inbox.markRead(upTo: nil, &update)
        case .upTo(let end):
            ids = try snapshot.keys(of: list, range: .to(end), limit: batch)
            readAnnouncements = inbox.markRead(upTo: end, &update)
        case .ids(let chosen):
            ids = try snapshot.unread(chosen, of: list)
            readAnnouncements = inbox.markRead(chosen, &update)
        case .groups(let chosen):
            ids =
                try snapshot.unread(chosen, of: list)
                + NotificationGroup.unreadLikes(behind: chosen, of: uid, in: snapshot)
            readAnnouncements = inbox.markRead(chosen, &update)
        }
        for id in ids { update[NotificationNodes.notification(uid) / id / "unread"] = nil }
        let unread = try snapshot.unreadCount(of: uid) - ids.count + inbox.unreadCount - readAnnouncements
        return Step(unread: max(0, unread), isComplete: ids.count < batch)
    }
}

extension Notifications {
    /// An entry of a list.
    struct Entry {
        enum Content {
            case group(NotificationGroup)
            case announcement(AnnouncementInbox.Item)
        }

        let id: TreeKey
        let content: Content

        /// The ids of the notifications that the entry shows.
        var notifications: [TreeKey] {
            switch content {
            case .group(let group): group.ids
            case .announcement: []
            }
        }
    }
}

extension TreeSnapshot {
    /// Returns those of the given ids that are in a list of unread notifications.
    fileprivate func unread(_ ids: Set<TreeKey>, of list: TreePath) throws(TreeError) -> [TreeKey] {
        var unread: [TreeKey] = []
        for id in ids where try exists(list / id) { unread.append(id) }
        return unread
    }

    /// Returns the number of a person's own unread notifications.
    func unreadCount(of uid: UserID) throws(TreeError) -> Int {
        Int(clamping: try get(NotificationNodes.unread(uid))?.integerValue ?? 0)
    }
}

extension NotificationDocument {
    /// The largest number of people who are named in a group of likes.
    private static let maxActors = 2

    /// - Parameter times: The times of the notifications that have changed, by their ids.
    init(
        _ entry: Notifications.Entry, _ times: [TreeKey: EntityTimes], in snapshot: TreeSnapshot
    ) throws(TreeError) {
        switch entry.content {
        case .group(let group):
            try self.init(group, in: snapshot)
            // A group changes with each of its notifications.
            updated = (group.ids.compactMap { times[$0]?.updated?.milliseconds } + (created.map { [$0] } ?? [])).max()
        case .announcement(let item): try self.init(item, in: snapshot)
        }
    }

    private init(_ group: NotificationGroup, in snapshot: TreeSnapshot) throws(TreeError) {
        try self.init(group.newest, id: group.id, in: snapshot)
        guard !group.earlier.isEmpty else { return }
        isUnread = group.isUnread
        count = group.earlier.count + 1
        var actors = actor.map { [$0] } ?? []
        for row in group.earlier where actors.count < Self.maxActors {
            guard let copy = row["actor"], let other = try PersonDocument(copy, in: snapshot) else { continue }
            actors.append(other)
        }
        self.actors = actors
    }

    /// Creates the document of a row; its fields may contain any value, because admins can write them.
    init(_ row: TreeValue, id: TreeKey, in snapshot: TreeSnapshot) throws(TreeError) {
        func text(_ field: TreeKey) -> String? { row[field]?.stringValue }
        var words = text("text")
        if let post = text("post").flatMap({ try? TreeKey($0) }) {
            if let comment = text("comment").flatMap({ try? TreeKey($0) }) {
                words = try snapshot.get(ReactionNodes.comment(post, comment) / "text")?.stringValue
            } else if text("kind") == NotificationKind.mention.rawValue {
                words = try snapshot.get(PostNodes.post() / post / "text")?.stringValue
            }
        }
        self.init(
            id: id.string, kind: text("kind") ?? "unknown",
            actor: try row["actor"].flatMap { copy throws(TreeError) in try PersonDocument(copy, in: snapshot) },
            post: text("post"), comment: text("comment"), announcement: text("announcement"), title: text("title"),
            text: words, timestamp: row["timestamp"]?.integerValue ?? 0, isUnread: row["unread"] != nil)
    }

    init(_ item: AnnouncementInbox.Item, in snapshot: TreeSnapshot) throws(TreeError) {
        let announcement = try AnnouncementDocument(item.id, in: snapshot)
        self.init(
            id: item.position.string, kind: NotificationKind.announcement.rawValue, actor: announcement?.author,
            announcement: item.id.string, title: announcement?.title, text: announcement?.text,
            timestamp: announcement?.timestamp ?? 0, isUnread: item.isUnread)
        (created, updated) = (announcement?.created, announcement?.updated)
    }
}
