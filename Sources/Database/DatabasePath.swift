package import API
package import TreeModel

/// What a path of the protocol names: a node of a tree, or its priority.
package struct DatabasePath: Sendable, Equatable {
    /// The node.
    package let node: TreePath
    /// Whether its priority is meant, and not the node itself.
    package let isPriority: Bool

    package init(_ node: TreePath, isPriority: Bool = false) {
        self.node = node
        self.isPriority = isPriority
    }

    /// The refusal of a path that names nothing which there can be.
    package static func invalid(_ complaint: String) -> Failure {
        Failure(.invalidPath, "Invalid path: Invalid token in path", hint: complaint)
    }
}
