package import Model
package import Tree

/// Removes a person's data outside of the social data when the person is deleted.
package protocol UploadCleanup: Sendable {
    /// Whether the person has any such data.
    func areThere(of uid: UserID) async throws -> Bool

    /// Ends a part of the data.
    ///
    /// - Parameter position: The position at which the previous part ended; nil for the first part.
    /// - Returns: The number of ended items, and the position at which the next part begins; nil after the last part.
    func end(
        of uid: UserID, after position: String?, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> (count: Int, next: String?)
}

/// Removes all data of a person and about them: uploads, posts, comments, likes, follows, blocks, notifications, the
/// feed, and finally the person.
///
/// Uploads are processed once, because a person who is being deleted cannot begin new ones. Each later step looks for
/// the first remaining data, so that concurrent writes are also removed.
struct DeletedPersonTask: FollowUpTask {
    static let kind = FollowUpTaskKind.deletePerson
    /// The number of posts that one step removes, each with its records.
    private static let postsAtOnce = 50
    /// The prefix of positions among uploads.
    private static let uploads = "uploads "

    /// Ends the uploads; nil if the service has none.
    var uploads: (any UploadCleanup)?

    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let uid = UserID(task.subject.key.string) else { return nil }
        func count(_ part: PersonDeletion.Part, _ count: Int) throws(TreeError) {
            let number = PeopleNodes.deletion(uid) / part.key
            update[number] = .integer((try snapshot.get(number)?.integerValue ?? 0) + Int64(count))
        }
        if let uploads, task.position.map({ $0.hasPrefix(Self.uploads) }) ?? true {
            let last = task.position.map { String($0.dropFirst(Self.uploads.count)) }
            let (ended, next) = try uploads.end(of: uid, after: last, in: snapshot, &update)
            if ended > 0 { try count(.uploads, ended) }
            return next.map { Self.uploads + $0 } ?? ""
        }
        for part in PersonDeletion.Part.allCases {
            let removed = try Self.remove(part, of: uid, in: snapshot, &update)
            guard removed > 0 else { continue }
            try count(part, removed)
            return ""
        }
        // Other follow-up tasks remove these from other people's data; the person is removed after them.
        if try Self.bringOnPosts(of: uid, in: snapshot, &update) { return "" }
        if try Self.bringOnFollowers(of: uid, in: snapshot, &update) { return "" }
        let forgotten = try WorkNodes.requests.forget(
            of: uid.key, limit: FollowUpTaskStep.maxWrites / 2, in: snapshot, &update)
        guard forgotten == 0 else { return "" }
        for path in [
            PeopleNodes.person(uid), FeedNodes.homeMark(uid), NotificationNodes.announcementsRead(uid),
            OutboxNodes.entry() / uid.key,
            OutboxNodes.deadLetter() / uid.key, PeopleNodes.privacy(uid), NotificationNodes.device(uid),
        ] { update[path] = nil }
        update.add(try OutboxQueue.writes(for: uid.key, due: nil, in: snapshot))
        update.set(PeopleNodes.deletion(uid) / "ended", to: .timestamp)
        return nil
    }

    /// Performs a step of the remaining work on one of the person's deleted posts.
    ///
    /// - Returns: Whether such work remained.
    private static func bringOnPosts(
        of uid: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Bool {
        let list = FeedNodes.withdrawn(uid)
        guard let row = try snapshot.children(of: list, limit: 1).first else { return false }
        guard let id = row.value.stringValue,
            let task = try PendingFollowUpTask(.deletePost, FollowUpTaskSubject(TreeKey(unchecked: id)), in: snapshot)
        else {
            update[list / row.key] = nil
            return true
        }
        try DeletedPostTask().bringOn(task, in: snapshot, &update)
        return true
    }

    /// Performs a step of the remaining work on one of the person's former followers.
    ///
    /// - Returns: Whether such work remained.
    private static func bringOnFollowers(
        of uid: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Bool {
        let (prefix, range) = FollowUpTaskSubject.range(of: uid, after: nil)
        guard let row = try snapshot.children(of: FollowUpTaskKind.unfollow.path, range: range, limit: 1).first,
            row.key.string.hasPrefix(prefix)
        else { return false }
        try UnfollowTask().bringOn(PendingFollowUpTask(.unfollow, row), in: snapshot, &update)
        return true
    }

    /// Removes data of one kind, up to a limit.
    ///
    /// - Returns: The number of removed items.
    private static func remove(
        _ part: PersonDeletion.Part, of uid: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Int {
        switch part {
        case .uploads: return 0
        case .posts:
            let list = PostNodes.publishedBy(uid)
            let posts = try snapshot.children(of: list, limit: postsAtOnce)
            for post in posts {
                update[list / post.key] = nil
                if let id = post.value.stringValue { update[PostNodes.post() / TreeKey(unchecked: id)] = nil }
            }
            return posts.count
        case .audiencePosts:
            return try remove(from: AudienceNodes.postBy(uid), limit: postsAtOnce, snapshot, &update) { update, id in
                update[AudienceNodes.post() / id] = nil
            }
        case .memberships:
            guard try snapshot.exists(AudienceNodes.membership(uid)) else { return 0 }
            update.scope = .removal
            return try remove(from: AudienceNodes.membership(uid), snapshot, &update) { update, audience in
                update[AudienceNodes.audience() / audience / "members" / uid.key] = nil
            }
        case .comments: return try removeComments(of: uid, in: snapshot, &update)
        case .likes:
            return try remove(from: ReactionNodes.liked(uid), snapshot, &update) { update, post in
                update[ReactionNodes.like(post, uid.key)] = nil
            }
        case .flags:
            let list = TreePattern(ReactionNodes.flagged(uid.key) / "*" / "*" / "*")
            let rows = try list.nodes(in: snapshot, limit: FollowUpTaskStep.maxWrites / 2)
            for row in rows {
                update[row] = nil
                if let subject = FlagSubject(row) { update[subject.flags / uid.key] = nil }
            }
            return rows.count
        case .following: return try remove(from: PeopleNodes.following(uid), snapshot, &update)
        case .followers: return try remove(from: PeopleNodes.follower(uid), snapshot, &update)
        case .blocks:
            let count = try remove(from: PeopleNodes.blocking(uid), snapshot, &update)
            return count > 0 ? count : try remove(from: PeopleNodes.blocked(uid), snapshot, &update)
        case .notifications: return try removeNotifications(of: uid, in: snapshot, &update)
        case .feed:
            let count = try remove(from: FeedNodes.entry(uid), snapshot, &update)
            return count > 0 ? count : try remove(from: FeedNodes.home(uid), snapshot, &update)
        }
    }

    private static func removeNotifications(
        of uid: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Int {
        let list = NotificationNodes.notification(uid)
        // Only half as many, because a direct announcement also lists the person as a recipient.
        let rows = try snapshot.children(of: list, limit: FollowUpTaskStep.maxWrites / 2)
        for row in rows {
            update[list / row.key] = nil
            guard let letter = row.value["announcement"]?.stringValue.flatMap({ try? TreeKey($0) }) else { continue }
            update[NotificationNodes.letter() / letter / "to" / uid.key] = nil
        }
        return rows.count
    }

    private static func removeComments(
        of uid: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> Int {
        var count = 0
        for post in try snapshot.keys(of: ReactionNodes.commented(uid), limit: FollowUpTaskStep.maxWrites) {
            let list = ReactionNodes.commented(uid) / post
            count += try remove(from: list, limit: FollowUpTaskStep.maxWrites - count, snapshot, &update) {
                update, comment in
                update[ReactionNodes.comment(post, comment)] = nil
            }
            if count == FollowUpTaskStep.maxWrites { break }
        }
        return count
    }

    /// Removes children of a list.
    ///
    /// - Parameter also: Removes the data that a child refers to.
    /// - Returns: The number of removed children.
    private static func remove(
        from list: TreePath, limit: Int = FollowUpTaskStep.maxWrites, _ snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate,
        also: (inout MultiPathUpdate, TreeKey) -> Void = { _, _ in }
    ) throws(TreeError) -> Int {
        let keys = try snapshot.keys(of: list, limit: limit)
        for key in keys {
            update[list / key] = nil
            also(&update, key)
        }
        return keys.count
    }
}
