package import API
import Model
package import Tree

/// A kind of nodes, and the writes that correct the data derived from each of them.
package struct RepairStage: Sendable {
    package let place: TreePattern
    /// The kind of finding when the stored data differ.
    package private(set) var kind = FindingKind.indexWrong
    /// Returns the correct writes, whether the stored data differ or not.
    let writes: @Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite]

    init(
        place: TreePattern,
        writes: @escaping @Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite]
    ) {
        (self.place, self.writes) = (place, writes)
    }

    /// Returns the stage with another kind of finding.
    func finding(_ kind: FindingKind) -> RepairStage {
        var stage = self
        stage.kind = kind
        return stage
    }

    /// Returns the writes at a node that would change stored data.
    package func missing(at node: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        var missing: [TreeWrite] = []
        for write in try writes(node, snapshot) where try snapshot.get(write.path) != write.value {
            missing.append(write)
        }
        return missing
    }
}
