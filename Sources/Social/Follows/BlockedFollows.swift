import Model
import Tree

/// Removes the follows between two people, in both directions, when one of them blocks the other.
///
/// It belongs in a stratum before the links, so that it also removes a follow of the same update.
struct BlockedFollows: Derivation {
    let place: TreePattern

    /// Creates the derivation for one side of the blocks.
    ///
    /// - Parameter place: The path of the blocks, with two wildcards: the two people.
    init(of place: TreePath) { self.place = TreePattern(place) }

    func writes(
        for block: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard block.after.isThere, !block.before.isThere else { return [] }
        let (one, other) = (block.keys[0], block.keys[1])
        var writes: [TreeWrite] = []
        for (follower, followee) in [(one, other), (other, one)] {
            for path in [PeopleNodes.following(follower, followee), PeopleNodes.follower(followee, follower)]
                as [TreePath]
            where try snapshot.exists(path) {
                writes.append(TreeWrite(path: path, value: nil))
            }
        }
        return writes
    }
}
