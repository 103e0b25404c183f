extension RulesNode {
    /// Whether a write at a path may be granted, as far as that can be told without what is written: whether there is a
    /// `.write` on the way to it that is more than `false`.
    ///
    /// - Parameter isUpdate: Whether what is written are nodes below the path.
    package func mayGrantWrite(at path: [String], isUpdate: Bool) -> Bool {
        var node = self
        if node.mayGrant { return true }
        for key in path {
            guard let child = node.child(for: key) else { return false }
            if child.mayGrant { return true }
            node = child
        }
        return isUpdate && node.mayGrantBelow
    }

    private var mayGrant: Bool { write.map { $0.text != "false" } ?? false }

    private var mayGrantBelow: Bool {
        (Array(children.values) + [wildcard].compactMap(\.self)).contains { $0.mayGrant || $0.mayGrantBelow }
    }
}
