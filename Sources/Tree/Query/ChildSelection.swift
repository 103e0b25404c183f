/// The children that match a query, before any of them is read.
enum ChildSelection {
    /// The node is a leaf, and it matches the query.
    case leaf
    /// All children in a range of rows match.
    case rows(ByteRange)
    /// The children with these segments match, in ascending query order.
    case segments([[UInt8]])
}

/// The treatment of a query for which the rules define no index.
public enum UnindexedQueries: Hashable, Sendable {
    /// The query is refused.
    case refused
    /// The query reads all children, if there are not too many.
    case scanned

    /// The largest number of children that a query without an index may read.
    static let maxChildren = 20_000
}

extension TreeSnapshot {
    /// Finds the children that match a query.
    ///
    /// By key or by a ready index, the cost depends on the size of the result. By priority, without an index, or while
    /// the index is being built, it costs as many searches as there are children.
    func select(
        _ query: TreeQuery, at path: TreePath, unindexed: UnindexedQueries = .refused
    ) throws(TreeError) -> ChildSelection {
        try path.checkDepth()
        let top = StoreFormat.dataKey(path)
        let query = try EncodedQuery(query)
        // Whether a query is allowed depends on the data only if it has no index.
        let index: Index?
        do {
            index = try query.needsIndex ? rules.index(for: query, at: path, in: engine) : nil
        } catch {
            guard error.code == .indexNotDefined, unindexed == .scanned,
                try !engine.hasMoreChildren(than: UnindexedQueries.maxChildren, below: top)
            else { throw error }
            index = nil
        }
        if try engine.value(for: top) != nil { return query.isFilter ? .segments([]) : .leaf }
        if query.order == .key { return try selectByKey(query, below: top) }
        guard let index, index.isReady else { return .segments(try engine.order(query, below: top)) }
        return .segments(try engine.segments(of: query, in: index, below: top))
    }

    /// Returns the segments of the selected children, in ascending query order.
    func segments(of selection: ChildSelection, below top: [UInt8]) throws(TreeError) -> [[UInt8]] {
        switch selection {
        case .leaf: []
        case .segments(let segments): segments
        case .rows(let rows): try engine.childSegments(in: rows, below: top.count)
        }
    }

    private func selectByKey(_ query: EncodedQuery, below top: [UInt8]) throws(TreeError) -> ChildSelection {
        let from = query.range.lower.isEmpty ? ByteRange.children(of: top).lower : top + query.range.lower
        let rows = ByteRange(from: from, upTo: top + query.range.upper)
        switch query.query.limit {
        case nil:
            return .rows(rows)
        case .first(let limit):
            return .segments(try engine.childSegments(in: rows, below: top.count, limit: limit))
        case .last(let limit):
            return .segments(
                try engine.childSegments(in: rows, below: top.count, reverse: true, limit: limit).reversed())
        }
    }
}

extension EngineSnapshot {
    /// Returns the segments of the matching children, in order, by reading all children.
    fileprivate func order(_ query: EncodedQuery, below top: [UInt8]) throws(TreeError) -> [[UInt8]] {
        var found: [(order: [UInt8], segment: [UInt8])] = []
        for segment in try childSegments(in: .children(of: top), below: top.count) {
            var order: [UInt8] = []
            try appendOrder(query.order, of: top + segment, segmentStart: top.count, to: &order)
            if query.range.contains(order) { found.append((order, segment)) }
        }
        found.sort { $0.order.span.precedes($1.order.span) }
        let segments = found.map(\.segment)
        return switch query.query.limit {
        case nil: segments
        case .first(let limit): Array(segments.prefix(limit))
        case .last(let limit): Array(segments.suffix(limit))
        }
    }

    /// Whether a node has more children than a limit; costs as many searches as the limit.
    fileprivate func hasMoreChildren(than limit: Int, below top: [UInt8]) throws(TreeError) -> Bool {
        try childSegments(in: .children(of: top), below: top.count, limit: limit + 1).count > limit
    }
}

extension TreeQuery {
    /// Whether a state of the store answers the query without reading all children. This holds for orders by
    /// key and by priority; other orders need an index that the rules define.
    ///
    /// - Throws: ``TreeError``: the engine's failure, or an error for an invalid query.
    package func isIndexed(at path: TreePath, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        let query = try EncodedQuery(self)
        guard query.needsIndex else { return true }
        do {
            _ = try snapshot.rules.index(for: query, at: path, in: snapshot.engine)
            return true
        } catch {
            guard error.code == .indexNotDefined else { throw error }
            return false
        }
    }
}
