import Posts
import Tree

/// Has the posts of whom somebody begins to follow brought into that feed, and those of whom they leave removed.
///
/// Who has never read their feed needs neither: the first reading finds everything.
struct FollowCause: Derivation {
    let place = TreePattern("people/*/following/*")

    func writes(
        for link: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard link.before.isThere != link.after.isThere, let follower = UserID(link.keys[0].string),
            let followee = UserID(link.keys[1].string), try snapshot.exists(Paths.homeMark(follower))
        else { return [] }
        let (kind, opposite): (JobKind, JobKind) = link.after.isThere ? (.backfill, .unfollow) : (.unfollow, .backfill)
        let subject = JobSubject(follower, followee)
        return PendingJob.writes(kind, subject, at: commit) + [PendingJob.ending(opposite, subject)]
    }
}

/// The posts of a followee, a part at a time, the newest first.
private struct FolloweesPosts {
    let follower: UserID
    let followee: UserID
    let isFollowed: Bool
    private let position: String?

    init?(_ job: PendingJob, in snapshot: TreeSnapshot) throws(TreeError) {
        let people = job.subject.parts.compactMap { UserID(String($0)) }
        guard people.count == 2 else { return nil }
        (follower, followee) = (people[0], people[1])
        isFollowed = try snapshot.exists(Paths.following(people[0]) / people[1].key)
        position = job.position
    }

    /// Writes to the follower's feed, in both forms, for each post of the next part.
    ///
    /// - Returns: The position of the last post; nil when there are no more.
    func write(
        isThere: Bool, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        let limit = JobStep.maxWrites / 2 - 1
        let range: KeyRange = position.map { .before(TreeKey(unchecked: $0)) } ?? .all
        let posts = try snapshot.children(
            of: Paths.publishedPosts(by: followee), range: range, order: .descending, limit: limit)
        for post in posts {
            guard let id = post.value.stringValue else { continue }
            update[Paths.home(follower) / post.key] = isThere ? post.value : nil
            update[Paths.feed(follower) / TreeKey(unchecked: id)] = isThere ? true : nil
        }
        if isThere, position == nil, let newest = posts.first.flatMap({ ListedPost($0) }) {
            try FolloweeMark.raise(to: newest, of: followee, to: follower, in: snapshot, &update)
        }
        return posts.count == limit ? posts.last?.key.string : nil
    }
}

/// Brings the posts of a followee into the feed of a follower, each into its place in time.
struct BackfillJob: Job {
    static let kind = JobKind.backfill

    func step(
        _ job: PendingJob, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let posts = try FolloweesPosts(job, in: snapshot), posts.isFollowed else { return nil }
        return try posts.write(isThere: true, in: snapshot, &update)
    }
}

/// Removes the posts of somebody who is not followed any more.
struct UnfollowJob: Job {
    static let kind = JobKind.unfollow

    func step(
        _ job: PendingJob, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let posts = try FolloweesPosts(job, in: snapshot), !posts.isFollowed,
            posts.follower != posts.followee
        else { return nil }
        return try posts.write(isThere: false, in: snapshot, &update)
    }
}
