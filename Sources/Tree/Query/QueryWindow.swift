/// The children that match a query at one moment, to answer it and to compare it with an earlier moment.
public struct QueryWindow: Hashable, Sendable {
    /// A child that matches the query.
    public struct Child: Hashable, Sendable {
        /// The child's key.
        public let key: TreeKey
        /// All rows of the child, relative to it.
        let rows: RowBlock

        /// Returns the child's value as JSON text.
        public func json(_ form: JSONForm = .plain) throws(TreeError) -> [UInt8] { try rows.json(form) }

        /// Returns the child's value with everything below it.
        public func value() throws(TreeError) -> TreeValue? { try rows.value(below: []) }
    }

    /// The children in the query's order.
    public let children: [Child]
    /// The rows of a leaf and its priority, if the node is a leaf that matches the query; there are no children then.
    let leaf: RowBlock?

    /// Returns the matching leaf as JSON text; nil if there is none.
    public func leafJSON(_ form: JSONForm = .plain) throws(TreeError) -> [UInt8]? { try leaf?.json(form) }
}

extension TreeSnapshot {
    /// Returns the children of a path that match a query.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, or the engine's failure.
    public func window(
        of path: TreePath, matching query: TreeQuery, unindexed: UnindexedQueries = .refused
    ) throws(TreeError) -> QueryWindow {
        let top = StoreFormat.dataKey(path)
        let selection = try select(query, at: path, unindexed: unindexed)
        if case .leaf = selection { return QueryWindow(children: [], leaf: try engine.rows(below: top)) }
        var children: [QueryWindow.Child] = []
        for segment in try segments(of: selection, below: top) {
            let key = try PathEncoding.decode(segment.span)
            children.append(QueryWindow.Child(key: key, rows: try engine.rows(below: top + segment)))
        }
        if query.isDescending { children.reverse() }
        return QueryWindow(children: children, leaf: nil)
    }
}
