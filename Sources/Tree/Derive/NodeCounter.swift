/// A counter of nodes: a leaf that always contains the number of nodes of a pattern, and does not exist while there are
/// none.
///
/// Each change is added to the number, so that the cost does not depend on the number of nodes. Use ``Restored`` to
/// keep others from writing the number.
public struct NodeCounter: Derivation {
    /// The nodes that are counted.
    public let place: TreePattern
    /// The paths of the counters.
    package let number: TreePattern

    /// Creates a counter of the nodes of a pattern.
    ///
    /// - Parameter number: The path of the counter; its wildcards are filled with the first wildcard keys of the
    ///   counted nodes.
    public init(of place: TreePattern, at number: TreePattern) {
        self.place = place
        self.number = number
    }

    /// Returns the write of the new number; empty if it has not changed.
    public func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard node.before.isThere != node.after.isThere else { return [] }
        let path = number.path(filledWith: node.keys)
        let old: Int64 = if case .integer(let old)? = try snapshot.get(path) { old } else { 0 }
        let new = max(0, node.after.isThere ? old + 1 : old - 1)
        return [TreeWrite(path: path, value: new == 0 ? nil : .integer(new))]
    }
}
