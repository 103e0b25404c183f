import TreeModel

/// The state that a tree would have after a multi-path update, without writing it.
struct UpdatedTree: RulesTree {
    private let base: any RulesTree
    /// The paths that are written.
    private let paths: [TreePath]
    /// The written values alone.
    private let written: JSONRulesTree

    /// - Parameter writes: The new values, without server values; no path is above another one.
    /// - Throws: ``TreeError`` with code `invalid_key` or `too_large`.
    init(_ writes: [RulesWrite], over base: any RulesTree) throws(TreeError) {
        var written = try JSONRulesTree()
        for write in writes { try written.set(write.path.keys.map(\.string), to: write.value) }
        self.written = written
        self.base = base
        paths = writes.map(\.path)
    }

    /// Whether a path is written, either itself or as a part of a written value.
    private func isWritten(_ path: TreePath) -> Bool { paths.contains { $0 == path || $0.isAncestor(of: path) } }

    /// Returns the keys of a node's children that are written, or have a written descendant.
    private func writtenKeys(below path: TreePath) -> Set<TreeKey> {
        Set(paths.filter { path.isAncestor(of: $0) }.map { $0.keys[path.depth] })
    }

    func value(at path: TreePath) throws(TreeError) -> RulesScalar {
        if isWritten(path) { return written.value(at: path) }
        guard written.value(at: path) == .null else { return .object }
        let value = try base.value(at: path)
        let keys = writtenKeys(below: path)
        guard !keys.isEmpty, value == .object else { return value }
        // A descendant was deleted: the node exists as long as one of its children does.
        for key in try base.childKeys(at: path) {
            guard keys.contains(key), try self.value(at: path / key) == .null else { return .object }
        }
        return .null
    }

    func priority(at path: TreePath) throws(TreeError) -> RulesScalar {
        if isWritten(path) { return written.priority(at: path) }
        return try value(at: path) == .null ? .null : base.priority(at: path)
    }

    func childKeys(at path: TreePath) throws(TreeError) -> [TreeKey] {
        if isWritten(path) { return written.childKeys(at: path) }
        let keys = writtenKeys(below: path)
        var remaining = try base.childKeys(at: path).filter { !keys.contains($0) }
        for key in keys where try value(at: path / key) != .null { remaining.append(key) }
        return remaining
    }
}
