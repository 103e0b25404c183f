extension TreePattern {
    /// Returns the existing nodes that match, in key order. The cost is one search for each gap between matching nodes,
    /// and one for each matching node that has more than a few rows.
    ///
    /// - Parameters:
    ///   - snapshot: The state of the tree.
    ///   - last: The node after which to begin; nil to begin at the first.
    ///   - limit: The largest number of nodes.
    package func nodes(
        in snapshot: TreeSnapshot, after last: TreePath? = nil, limit: Int
    ) throws(TreeError) -> [TreePath] {
        let namespace = path.namespace
        let tree = StoreFormat.dataKey(TreePath([], in: namespace))
        let all = ByteRange.subtree(tree)
        let first = last.map { ByteRange.subtree(StoreFormat.dataKey($0)).upper } ?? all.lower
        var nodes: [TreePath] = []
        var rest = ByteRange(from: first, upTo: all.upper)
        while nodes.count < limit {
            let next = try elements.scanNodes(in: rest, below: tree.count, of: snapshot.engine) {
                node throws(TreeError) in
                nodes.append(try StoreFormat.path(ofDataKey: node.span))
                return nodes.count < limit
            }
            guard let next else { break }
            rest = next
        }
        return nodes
    }
}
