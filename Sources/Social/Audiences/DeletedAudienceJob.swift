import Posts
import Tree

/// Has the posts of an audience that is deleted leave it; nobody is a member any more, so nobody reads its story meanwhile.
struct AudienceDeletionCause: Derivation {
    let place = TreePattern("audiences/*")

    func writes(
        for audience: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard audience.isDeleted, let id = AudienceID(audience.keys[0].string),
            try snapshot.exists(Paths.publishedStory(of: id))
        else { return [] }
        return PendingJob.writes(.deleteAudience, JobSubject(id.key), at: commit)
    }
}

/// Keeps an audience from coming back while posts of the one before it are still there: whoever made it would see them.
///
/// It belongs into the first stratum.
struct ReturningAudience: Derivation {
    let place = TreePattern("audiences/*")

    func writes(
        for audience: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !audience.before.isThere, audience.after.isThere,
            try snapshot.exists(JobKind.deleteAudience.path / audience.keys[0])
        else { return [] }
        return [TreeWrite(path: Paths.audiences / audience.keys[0], value: nil)]
    }
}

/// Takes an audience that is gone off its posts; those that were for no other go.
struct DeletedAudienceJob: Job {
    static let kind = JobKind.deleteAudience
    /// The number of posts that go in one step: each takes its records along.
    private static let batch = 50

    func step(
        _ job: PendingJob, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let audience = AudienceID(job.subject.key.string) else { return nil }
        let list = Paths.publishedStory(of: audience)
        let rows = try snapshot.children(of: list, limit: Self.batch)
        for row in rows {
            update[list / row.key] = nil
            guard let id = row.value.stringValue else { continue }
            update[Paths.audiencePosts / TreeKey(unchecked: id) / "audiences" / audience.key] = nil
        }
        return rows.isEmpty ? nil : ""
    }
}
