package import API
import Model
package import Tree

/// A kind of nodes, and what has to be written so that what is derived from one of them is right.
package struct RepairStage: Sendable {
    package let place: TreePattern
    /// What it is called where something else stands there.
    package private(set) var kind = FindingKind.indexWrong
    /// What has to stand there, whether it does or not.
    let writes: @Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite]

    init(
        place: TreePattern,
        writes: @escaping @Sendable (_ node: TreePath, TreeSnapshot) throws(TreeError) -> [TreeWrite]
    ) {
        (self.place, self.writes) = (place, writes)
    }

    /// The same, with a name for what is wrong.
    func finding(_ kind: FindingKind) -> RepairStage {
        var stage = self
        stage.kind = kind
        return stage
    }

    /// What has to be written at a node, so that it changes anything.
    package func missing(at node: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> [TreeWrite] {
        var missing: [TreeWrite] = []
        for write in try writes(node, snapshot) where try snapshot.get(write.path) != write.value {
            missing.append(write)
        }
        return missing
    }
}
