import Model
import Tree

/// Starts the follow-up tasks that add a new followee's posts to the follower's feed, and remove those of a former
/// followee.
///
/// A person who has never read their feed needs no task, because the first reading finds all posts.
struct FollowCause: Derivation {
    let place = PeopleNodes.following.pattern

    func writes(
        for link: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard link.before.isThere != link.after.isThere, let follower = UserID(link.keys[0].string),
            let followee = UserID(link.keys[1].string)
        else { return [] }
        let backfill = FollowUpTaskSubject(follower, followee)
        if link.after.isThere {
            guard try snapshot.exists(FeedNodes.homeMark(follower)) else { return [] }
            // A task in progress continues, because it must also remove deleted posts.
            return PendingFollowUpTask.writes(.backfill, backfill, at: commit)
        }
        // Clients of the database write the feeds themselves.
        var hasFeed = try snapshot.exists(FeedNodes.homeMark(follower))
        if !hasFeed { hasFeed = try snapshot.exists(FeedNodes.entry(follower)) }
        guard hasFeed else { return [] }
        // The followee is the first person of the subject, because these tasks are searched by followee.
        return PendingFollowUpTask.writes(.unfollow, FollowUpTaskSubject(followee, follower), at: commit)
            + [PendingFollowUpTask.ending(.backfill, backfill)]
    }
}

/// The posts of a followee, a part at a time, in both forms of a follower's feed.
private struct FolloweesPosts {
    /// The number of posts in one step; each is written twice, and so is a mark.
    private static let limit = FollowUpTaskStep.maxWrites / 2 - 1

    let follower: UserID
    let followee: UserID

    /// Writes the entries of the next part of the followee's posts, the newest first.
    ///
    /// - Parameter last: The position after which the part begins; nil for the newest post.
    /// - Returns: The position of the last post; nil when there are no more.
    func write(
        isThere: Bool, after last: String?, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        let posts = try snapshot.children(
            of: PostNodes.publishedBy(followee), range: last.map { .before(TreeKey(unchecked: $0)) } ?? .all,
            order: .descending, limit: Self.limit)
        write(posts, isThere: isThere, &update)
        if isThere, last == nil, let newest = posts.first.flatMap({ ListedPost($0) }) {
            try FolloweeMark.raise(to: newest, of: followee, to: follower, in: snapshot, &update)
        }
        return posts.count == Self.limit ? posts.last?.key.string : nil
    }

    /// Removes the entries of the next part of the followee's deleted posts, which ``DeletedPostTask`` may have passed
    /// over.
    ///
    /// - Returns: The position of the last post; nil when there are no more.
    func removeWithdrawn(
        after last: String?, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        let posts = try snapshot.children(
            of: FeedNodes.withdrawn(followee), range: last.map { .after(TreeKey(unchecked: $0)) } ?? .all,
            limit: Self.limit)
        write(posts, isThere: false, &update)
        return posts.count == Self.limit ? posts.last?.key.string : nil
    }

    private func write(_ posts: [TreeChild], isThere: Bool, _ update: inout MultiPathUpdate) {
        for post in posts {
            guard let id = post.value.stringValue else { continue }
            update[FeedNodes.home(follower) / post.key] = isThere ? post.value : nil
            update[FeedNodes.entry(follower) / TreeKey(unchecked: id)] = isThere ? true : nil
        }
    }
}

/// Adds the posts of a followee to the feed of a follower, at their positions in time.
struct BackfillTask: FollowUpTask {
    static let kind = FollowUpTaskKind.backfill

    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let (follower, followee) = task.subject.people,
            try snapshot.exists(PeopleNodes.following(follower) / followee.key)
        else { return nil }
        return try FolloweesPosts(follower: follower, followee: followee)
            .write(isThere: true, after: task.position, in: snapshot, &update)
    }
}

/// Removes the posts of a former followee from a feed: first the existing posts, then the deleted ones.
///
/// A post that is deleted in the meantime is among the deleted ones, or was among the existing ones when these were
/// processed. The deleted ones are also removed for a follower who has returned, because ``DeletedPostTask`` may have
/// passed over that follower in between.
struct UnfollowTask: FollowUpTask {
    static let kind = FollowUpTaskKind.unfollow
    /// The prefix of positions among the deleted posts.
    private static let withdrawn = "withdrawn "

    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let (followee, follower) = task.subject.people, follower != followee else { return nil }
        let posts = FolloweesPosts(follower: follower, followee: followee)
        guard let position = task.position, position.hasPrefix(Self.withdrawn) else {
            guard try !snapshot.exists(PeopleNodes.following(follower) / followee.key) else { return Self.withdrawn }
            let next = try posts.write(isThere: false, after: task.position, in: snapshot, &update)
            return next ?? Self.withdrawn
        }
        let last = String(position.dropFirst(Self.withdrawn.count))
        let next = try posts.removeWithdrawn(after: last.isEmpty ? nil : last, in: snapshot, &update)
        return next.map { Self.withdrawn + $0 }
    }
}
