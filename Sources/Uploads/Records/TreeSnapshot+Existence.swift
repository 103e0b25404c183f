package import Tree

extension TreeSnapshot {
    /// Whether a node exists at one of several paths.
    package func hasAny(of paths: [TreePath]) throws(TreeError) -> Bool {
        for path in paths where try exists(path) { return true }
        return false
    }
}
