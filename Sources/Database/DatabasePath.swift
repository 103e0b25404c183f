package import API
package import TreeModel

/// The target of a path of the protocol: a node of a tree, or its priority.
package struct DatabasePath: Sendable, Equatable {
    /// The node.
    package let node: TreePath
    /// Whether the path names the node's priority, and not the node itself.
    package let isPriority: Bool

    package init(_ node: TreePath, isPriority: Bool = false) {
        self.node = node
        self.isPriority = isPriority
    }

    /// Returns the failure for an invalid path.
    ///
    /// - Parameter complaint: The hint, as a sentence.
    package static func invalid(_ complaint: String) -> Failure {
        Failure(.invalidPath, "Invalid path: Invalid token in path", hint: complaint)
    }
}
