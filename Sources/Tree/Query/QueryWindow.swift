/// The children that a query takes at one moment: to answer it, and to compare with those that it took before.
public struct QueryWindow: Hashable, Sendable {
    /// A child that the query takes.
    public struct Child: Hashable, Sendable {
        /// The key.
        public let key: TreeKey
        /// All rows of the child, below it.
        let rows: RowBlock

        /// The child's value as JSON text.
        public func json(_ form: JSONForm = .plain) throws(TreeError) -> [UInt8] { try rows.json(form) }

        /// The child's value, with all that is below.
        public func value() throws(TreeError) -> TreeValue? { try rows.value(below: []) }
    }

    /// The children in the query's order.
    public let children: [Child]
    /// The rows of a leaf, and its priority, when one is there and the query takes it; there are no children then.
    let leaf: RowBlock?

    /// The leaf that is there in place of children, as JSON text; nil for none, and when the query does not take it.
    public func leafJSON(_ form: JSONForm = .plain) throws(TreeError) -> [UInt8]? { try leaf?.json(form) }
}

extension TreeSnapshot {
    /// The children of a path that a query takes.
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
