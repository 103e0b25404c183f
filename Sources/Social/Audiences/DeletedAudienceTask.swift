import Model
import Tree

/// Starts the removal of a deleted audience from its posts; without members, its feed cannot be read in the meantime.
///
/// The id is marked as used. An import, or a deletion of all audiences at once, does not mark ids; both require the
/// owner's rights.
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

/// Removes a deleted audience from its posts, and deletes posts that were for no other audience.
struct DeletedAudienceTask: FollowUpTask {
    static let kind = FollowUpTaskKind.deleteAudience
    /// The number of posts that one step removes, each with its records.
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
