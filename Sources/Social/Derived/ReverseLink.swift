import Tree

/// Keeps for each node of a place one whose two keys are the other way round: who follows whom, and who is followed by
/// whom. Two of them, one for each direction, let either side be written.
struct ReverseLink: Derivation {
    let place: TreePattern
    let other: TreePattern

    /// - Parameters:
    ///   - place: The nodes, with two wildcards.
    ///   - other: The other side of them, with two wildcards.
    init(of place: TreePath, at other: TreePath) {
        self.place = TreePattern(place)
        self.other = TreePattern(other)
    }

    func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard node.before.isThere != node.after.isThere else { return [] }
        // Both sides were alike before, so whichever has changed decides.
        let path = other.path(filledWith: node.keys.reversed())
        guard try snapshot.exists(path) != node.after.isThere else { return [] }
        return [TreeWrite(path: path, value: node.after.isThere ? true : nil)]
    }
}
