import Model
import Tree

/// Refuses an audience with the id of a deleted one: it would be mistaken for that audience where the id is still
/// named, and its creator would see the remaining posts.
struct UsedAudienceID: Constraint {
    let place = AudienceNodes.audience.pattern
    let reason = "there was an audience with this id, which was deleted: an id is used once"

    func allows(_ audience: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard !audience.before.isThere else { return true }
        let id = audience.keys[0]
        let isUsed = try snapshot.exists(AudienceNodes.used(id)) && !audience.isPartOfMore
        let isLeaving = try snapshot.exists(FollowUpTaskKind.deleteAudience.path / id)
        return !isUsed && !isLeaving
    }
}
