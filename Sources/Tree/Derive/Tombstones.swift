/// Records deletions of a node's children: each deleted child gets a row at `records` under its own key, with the time
/// of its deletion, in milliseconds since the epoch.
///
/// If a child is written again, its record stays until the owner of the records removes it.
public struct Tombstones: Derivation {
    /// The children whose deletion is recorded.
    public let place: TreePattern
    private let records: TreePath

    /// Creates a derivation that records the children of `parent` as children of `records`, which may be in another
    /// tree.
    public init(of parent: TreePath, at records: TreePath) {
        place = TreePattern(parent / "*")
        self.records = records
    }

    /// Returns the record of the child if it has been deleted.
    public func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) -> [TreeWrite] {
        guard node.isDeleted, let key = node.keys.last else { return [] }
        return [TreeWrite(path: records / key, value: commit.timestamp.value)]
    }
}
