import Posts
import Tree

/// Has what is left of a post removed when it is deleted, whoever deletes it.
struct DeletionCause: Derivation {
    let place = TreePattern("posts/*")

    func writes(
        for post: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard post.isDeleted else { return [] }
        // The order of publication still has it: this comes before that.
        let place = try snapshot.get(Paths.postPosition(post.keys[0]))?.stringValue
        return PendingJob.writes(.deletePost, JobSubject(post.keys[0]), at: commit, cause: place)
    }
}

/// Removes the likes and comments of a post that is gone, and its entries in the feeds of its author's followers.
struct DeletedPostJob: Job {
    static let kind = JobKind.deletePost

    func step(
        _ job: PendingJob, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        let post = job.subject.key
        guard try !snapshot.exists(Paths.posts / post) else { return nil }
        for list in ["likes" / post, "comments" / post, Paths.noticedLikes / post] as [TreePath] {
            let keys = try snapshot.keys(of: list, limit: JobStep.maxWrites)
            for key in keys { update[list / key] = nil }
            // There may be more: the next step looks again.
            if !keys.isEmpty { return job.position ?? "" }
        }
        return try removeFromFeeds(post, job, snapshot, &update)
    }

    /// - Returns: The last follower of the author that was looked at; nil when that was the last one.
    private func removeFromFeeds(
        _ post: TreeKey, _ job: PendingJob, _ snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let place = job.cause.flatMap({ PostPlace($0) }), let author = place.author else { return nil }
        let position = place.position.key
        let last = job.position.flatMap { UserID($0) }?.key
        let limit = JobStep.maxWrites / 2
        let followers = try snapshot.keys(
            of: Paths.followers(author), range: last.map { .after($0) } ?? .all, limit: limit)
        for follower in followers {
            guard let follower = UserID(follower.string) else { continue }
            update[Paths.home(follower) / position] = nil
            update[Paths.feed(follower) / post] = nil
        }
        guard followers.count < limit else { return followers.last?.string }
        update[Paths.home(author) / position] = nil
        return nil
    }
}
