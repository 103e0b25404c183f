/// Records that children of a node were deleted: at `records`, each child that goes gets a row under its own key with
/// the time at which it went, in milliseconds since the epoch.
///
/// A child that is written again keeps its record until the owner of the records removes it.
public struct Tombstones: Derivation {
    /// The children.
    public let place: TreePattern
    private let records: TreePath

    /// Has the children of `parent` recorded as children of `records`, which may be in another tree.
    public init(of parent: TreePath, at records: TreePath) {
        place = TreePattern(parent / "*")
        self.records = records
    }

    /// The record of the child, if it has gone.
    public func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) -> [TreeWrite] {
        guard node.isDeleted, let key = node.keys.last else { return [] }
        return [TreeWrite(path: records / key, value: commit.timestamp.value)]
    }
}
