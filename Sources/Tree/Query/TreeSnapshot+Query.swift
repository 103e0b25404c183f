extension TreeSnapshot {
    /// Returns the children of a path that match a query, in its order.
    ///
    /// By key or by an index, the cost depends on the size of the result, not on the number of children. A query by
    /// value, or by values below the children, needs an index (`.indexOn` in the rules at this path); while it is being
    /// built, the query reads all children. A leaf has no children.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, or the engine's failure.
    public func children(of path: TreePath, matching query: TreeQuery) throws(TreeError) -> [TreeChild] {
        var children: [TreeChild] = []
        for child in try window(of: path, matching: query).children {
            if let value = try child.value() { children.append(TreeChild(key: child.key, value: value)) }
        }
        return children
    }

    /// Returns the number of children of a path that match a query; data below them is not read.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, or the engine's failure.
    public func count(of path: TreePath, matching query: TreeQuery) throws(TreeError) -> Int {
        try segments(of: try select(query, at: path), below: StoreFormat.dataKey(path)).count
    }

    /// Returns the children of a path that match a query, as JSON text: an object, or an array if the keys allow it.
    ///
    /// The keys are in key order, as clients expect; with ``TreeQuery/isDescending`` they are in the query's order, and
    /// the result is always an object. The result is `null` if nothing matches. A leaf matches only a query without
    /// bounds and limit. The node's own priority is left out.
    ///
    /// The form and `drain` are those of ``json(of:_:drain:)``.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, the errors of `drain`, or the engine's failure.
    public func json(
        of path: TreePath, matching query: TreeQuery, _ form: JSONForm = .plain,
        unindexed: UnindexedQueries = .refused, drain: (([UInt8]) throws(TreeError) -> Void)? = nil
    ) throws(TreeError) -> [UInt8] {
        let top = StoreFormat.dataKey(path)
        let selection = try select(query, at: path, unindexed: unindexed)
        switch selection {
        case .leaf:
            return try json(of: path, form)
        case .rows(let rows) where !query.isDescending:
            return try engine.json(of: [rows], below: top.count, form, drain: drain)
        case .segments(let segments) where !query.isDescending:
            let keys = segments.map { top + $0 }.sorted { $0.span.precedes($1.span) }
            return try engine.json(of: keys.map(ByteRange.subtree), below: top.count, form, drain: drain)
        case .rows, .segments:
            let segments = try segments(of: selection, below: top)
            return try members(segments.reversed(), below: top, form, drain: drain)
        }
    }

    /// Returns an object of children in a custom order.
    private func members(
        _ segments: [[UInt8]], below top: [UInt8], _ form: JSONForm,
        drain: (([UInt8]) throws(TreeError) -> Void)?
    ) throws(TreeError) -> [UInt8] {
        guard !segments.isEmpty else { return Array("null".utf8) }
        var json = [UInt8(ascii: "{")]
        for (position, segment) in segments.enumerated() {
            if position > 0 { json.append(UInt8(ascii: ",")) }
            try JSONAssembler.appendKey(segment.span, to: &json)
            json.append(UInt8(ascii: ":"))
            let child = top + segment
            let value = try engine.json(of: [.subtree(child)], below: child.count, form, drain: nil)
            json.append(contentsOf: value)
            if let drain, json.count >= JSONForm.drainBytes {
                try drain(json)
                json.removeAll(keepingCapacity: true)
            }
        }
        json.append(UInt8(ascii: "}"))
        return json
    }
}
