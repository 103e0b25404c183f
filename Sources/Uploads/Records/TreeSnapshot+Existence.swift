package import Tree

extension TreeSnapshot {
    /// Whether there is anything at one of some places.
    package func hasAny(of paths: [TreePath]) throws(TreeError) -> Bool {
        for path in paths where try exists(path) { return true }
        return false
    }
}
