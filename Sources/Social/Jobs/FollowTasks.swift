import Model
import Tree

/// Has the posts of whom somebody begins to follow brought into that feed, and those of whom they leave removed.
///
/// Who has never read their feed needs no posts brought: the first reading finds everything.
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
            // One that is under way goes on: it has to remove what is gone.
            return PendingFollowUpTask.writes(.backfill, backfill, at: commit)
        }
        // Clients of the database write their feeds themselves.
        var hasFeed = try snapshot.exists(FeedNodes.homeMark(follower))
        if !hasFeed { hasFeed = try snapshot.exists(FeedNodes.entry(follower)) }
        guard hasFeed else { return [] }
        // The followee comes first, by whom these follow-up tasks are looked for.
        return PendingFollowUpTask.writes(.unfollow, FollowUpTaskSubject(followee, follower), at: commit)
            + [PendingFollowUpTask.ending(.backfill, backfill)]
    }
}

/// The posts of a followee, a part at a time, in both forms of a follower's feed.
private struct FolloweesPosts {
    /// The number of posts of one step: each is written twice, and so is a mark.
    private static let limit = FollowUpTaskStep.maxWrites / 2 - 1

    let follower: UserID
    let followee: UserID

    /// Writes for each post of the next part that is there, the newest first.
    ///
    /// - Parameter last: Behind which position the part begins; nil for the newest post.
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

    /// Removes those of the next part that are gone, and that ``DeletedPostTask`` may have passed over.
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

/// Brings the posts of a followee into the feed of a follower, each into its place in time.
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

/// Removes the posts of somebody who is not followed any more: first those that are there, then those that are gone.
///
/// A post that goes meanwhile is among the second, or was among the first when these were gone through. For a follower who has
/// come back the second go all the same: ``DeletedPostTask`` may have passed over that follower in between.
struct UnfollowTask: FollowUpTask {
    static let kind = FollowUpTaskKind.unfollow
    /// What positions among the posts that are gone begin with.
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
