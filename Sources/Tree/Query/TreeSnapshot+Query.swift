extension TreeSnapshot {
    /// The children of a path that a query takes, in its order.
    ///
    /// By key, and by an index, it costs the answer, however many children there are. A query by value, or by what is
    /// below the children, needs an index (`.indexOn` in the rules at this path); while that is still being built, it
    /// reads all children. A leaf has no children.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, or the engine's failure.
    public func children(of path: TreePath, matching query: TreeQuery) throws(TreeError) -> [TreeChild] {
        var children: [TreeChild] = []
        for child in try window(of: path, matching: query).children {
            if let value = try child.value() { children.append(TreeChild(key: child.key, value: value)) }
        }
        return children
    }

    /// The number of children of a path that a query takes; what lies below them is not read.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, or the engine's failure.
    public func count(of path: TreePath, matching query: TreeQuery) throws(TreeError) -> Int {
        try segments(of: try select(query, at: path), below: StoreFormat.dataKey(path)).count
    }

    /// The children of a path that a query takes, as JSON text: an object, or an array where the keys allow it.
    ///
    /// Its keys are in key order, as clients expect; with ``TreeQuery/isDescending`` in the query's order, and always
    /// an object. `null` when the query takes nothing; a leaf is taken only by a query without bounds and limit. The
    /// node's own priority is left out.
    ///
    /// The form and `drain` are those of ``json(of:_:drain:)``.
    ///
    /// - Throws: ``TreeError`` with code `index_not_defined`, what `drain` throws, or the engine's failure.
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

    /// An object of children in an order of their own.
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
