import Model
import Tree

/// Has the posts of an audience that is deleted leave it; nobody is a member any more, so nobody reads its story meanwhile.
///
/// Its id is used from then on. An import, or a deletion of all audiences at once, uses no ids: who may do that may do
/// everything.
struct AudienceDeletionCause: Derivation {
    let place = AudienceNodes.audience.pattern

    func writes(
        for audience: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard audience.isDeleted, let id = AudienceID(audience.keys[0].string) else { return [] }
        var writes: [TreeWrite] = []
        if !audience.isPartOfMore { writes.append(TreeWrite(path: AudienceNodes.used(id.key), value: true)) }
        if try snapshot.exists(AudienceNodes.published(id)) {
            writes += PendingFollowUpTask.writes(.deleteAudience, FollowUpTaskSubject(id.key), at: commit)
        }
        return writes
    }
}

/// Takes an audience that is gone off its posts; those that were for no other go.
struct DeletedAudienceTask: FollowUpTask {
    static let kind = FollowUpTaskKind.deleteAudience
    /// The number of posts that go in one step: each takes its records along.
    private static let batch = 50

    func step(
        _ task: PendingFollowUpTask, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) -> String? {
        guard let audience = AudienceID(task.subject.key.string) else { return nil }
        let list = AudienceNodes.published(audience)
        let rows = try snapshot.children(of: list, limit: Self.batch)
        for row in rows {
            update[list / row.key] = nil
            guard let id = row.value.stringValue else { continue }
            update[AudienceNodes.post() / TreeKey(unchecked: id) / "audiences" / audience.key] = nil
        }
        return rows.isEmpty ? nil : ""
    }
}
