import Tree

/// Maintains for each node of a path a node whose two keys are swapped, such as the list of followers for the list of
/// followees. Two of these derivations, one for each direction, allow writes on either side.
struct ReverseLink: Derivation {
    let place: TreePattern
    let other: TreePattern

    /// - Parameters:
    ///   - place: The path of the nodes, with two wildcards.
    ///   - other: The path of the swapped nodes, with two wildcards.
    init(of place: TreePath, at other: TreePath) {
        self.place = TreePattern(place)
        self.other = TreePattern(other)
    }

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard node.before.isThere != node.after.isThere else { return [] }
        // Both sides were equal before, so the changed side decides.
        let path = other.path(filledWith: node.keys.reversed())
        guard try snapshot.exists(path) != node.after.isThere else { return [] }
        return [TreeWrite(path: path, value: node.after.isThere ? true : nil)]
    }
}
