import Model
import Tree

/// Maintains for each node of a path a node whose two keys are swapped, such as the list of followers for the list of
/// followees. Two of these derivations, one for each direction, allow writes on either side.
struct ReverseLink: Derivation {
    let place: TreePattern
    let other: TreePattern
    /// Whether the swapped nodes are the times of the links (``EntityTimes``) instead of `true`, so that these need no
    /// rows of their own.
    private let isDated: Bool

    /// - Parameters:
    ///   - place: The path of the nodes, with two wildcards.
    ///   - other: The path of the swapped nodes, with two wildcards.
    ///   - isDated: Whether the swapped nodes, which only this derivation writes, are the times of the links.
    init(of place: TreePath, at other: TreePath, isDated: Bool = false) {
        self.place = TreePattern(place)
        self.other = TreePattern(other)
        self.isDated = isDated
    }

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let path = other.path(filledWith: node.keys.reversed())
        guard node.before.isThere != node.after.isThere else {
            guard isDated, node.before != node.after else { return [] }
            return [
                TreeWrite(
                    path: path, value: try EntityTimes(at: path, in: snapshot).changed(at: commit.timestamp).value)
            ]
        }
        // Both sides were equal before, so the changed side decides.
        guard try snapshot.exists(path) != node.after.isThere else { return [] }
        let value: TreeValue = isDated ? EntityTimes(created: commit.timestamp).value : true
        return [TreeWrite(path: path, value: node.after.isThere ? value : nil)]
    }
}
