/// The children that a query takes, brought from one commit to the next by what was written, without the store.
///
/// A child that is not among them lies outside the query's range, or farther from its beginning than all that the limit
/// lets in.
struct FollowedWindow: Sendable {
    /// Larger windows, in bytes of their rows, are not followed: a change would cost as much as to read them anew.
    private static let maxBytes = 4 << 20

    private struct Entry {
        /// The bytes that order the child; its segment is the end of them.
        let order: [UInt8]
        let segment: [UInt8]
        let child: QueryWindow.Child
    }

    private let query: EncodedQuery
    /// The key of the query's node.
    private let top: [UInt8]
    /// The children in the query's order, ascending.
    private var entries: [Entry] = []
    /// Whether there is no other child in the query's range.
    private var isWhole: Bool

    /// Begins with what has been read; returns nil for what is not followed: a leaf, or too much.
    init?(_ window: QueryWindow, of query: TreeQuery, at path: TreePath) throws(TreeError) {
        guard window.leaf == nil, window.byteCount <= Self.maxBytes else { return nil }
        self.query = try EncodedQuery(query)
        top = StoreFormat.dataKey(path)
        isWhole = query.limit.map { window.children.count < $0.count } ?? true
        for child in window.children {
            var segment: [UInt8] = []
            PathEncoding.append(child.key, to: &segment)
            let rows = MemoryEngine.Transaction()
            _ = try rows.apply(EncodedWrite(key: top + segment, rows: child.rows))
            entries.append(try makeEntry(segment, in: rows))
        }
        if query.isDescending { entries.reverse() }
    }

    /// The children that the query takes.
    var window: QueryWindow {
        let children = entries.map(\.child)
        return QueryWindow(children: query.query.isDescending ? children.reversed() : children, leaf: nil)
    }

    /// The children that the query takes, as JSON text, in the form and the order of ``TreeSnapshot/json(of:matching:_:unindexed:drain:)``.
    func json(_ form: JSONForm) throws(TreeError) -> [UInt8] {
        if query.query.isDescending { return try window.json(form) }
        var all = RowBlock()
        for entry in entries.sorted(by: { $0.segment.span.precedes($1.segment.span) }) {
            try entry.child.rows.forEach { path, value throws(TreeError) in
                all.append(path: (entry.segment + path.copied).span, value: value)
                return true
            }
        }
        return try all.json(form)
    }

    /// The window after a change; nil where only the store knows it.
    func taking(_ change: EncodedChange) throws(TreeError) -> FollowedWindow? {
        let rows = MemoryEngine.Transaction()
        var known = Dictionary(uniqueKeysWithValues: entries.map { ($0.segment, $0) })
        var next = self
        var writes: [EncodedWrite] = []
        var touched: Set<[UInt8]> = []
        for write in change.writes {
            if top.span.starts(with: write.key.span) {
                // All children are known by this write.
                known = [:]
                (next.entries, next.isWhole) = ([], true)
                writes.append(EncodedWrite(key: top, rows: try write.rows.block(below: Array(top[write.key.count...]))))
            } else if write.key.span.starts(with: top.span), write.key[top.count] != PathEncoding.priorityTag {
                let end = try PathEncoding.segmentEnd(in: write.key.span, from: top.count)
                let segment = Array(write.key[top.count..<end])
                if write.key.count > end, known[segment] == nil, !touched.contains(segment) {
                    switch next.position(of: segment) {
                    case .nowhere: break
                    case .outside: continue
                    case .unknown: return nil
                    }
                }
                if touched.insert(segment).inserted, let entry = known[segment] {
                    _ = try rows.apply(EncodedWrite(key: top + segment, rows: entry.child.rows))
                }
                writes.append(write)
            }
        }
        try rows.apply(inTurn: writes)
        guard rows.value(for: top) == nil || query.isFilter else { return nil }
        touched.formUnion(try rows.childSegments(in: .children(of: top), below: top.count))
        for segment in touched {
            let isThere = try !rows.isEmpty(.subtree(top + segment))
            let entry = isThere ? try makeEntry(segment, in: rows) : nil
            known[segment] = entry.flatMap { query.range.contains($0.order) ? $0 : nil }
        }
        return next.take(known.values.sorted { $0.order.span.precedes($1.order.span) }) ? next : nil
    }

    private func makeEntry(_ segment: [UInt8], in rows: some EngineSnapshot) throws(TreeError) -> Entry {
        let key = top + segment
        var order: [UInt8] = []
        try rows.appendOrder(query.order, of: key, segmentStart: top.count, to: &order)
        let child = QueryWindow.Child(key: try PathEncoding.decode(segment.span), rows: try rows.rows(below: key))
        return Entry(order: order, segment: segment, child: child)
    }

    // MARK: What is not among the children

    private enum Position {
        /// The child is not there at all.
        case nowhere
        /// If it is there, the query does not take it, whatever is below it.
        case outside
        case unknown
    }

    /// The position of a child that is not among those that the query takes.
    private func position(of segment: [UInt8]) -> Position {
        if query.order == .key {
            // What orders the child is its segment alone.
            guard query.range.contains(segment) else { return .outside }
            return isWhole || isInside(segment) ? .nowhere : .outside
        }
        return isWhole && query.query.lower == nil && query.query.upper == nil ? .nowhere : .unknown
    }

    /// Whether all children up to this position in the order are known, when not all in the range are.
    private func isInside(_ order: [UInt8]) -> Bool {
        switch query.query.limit {
        case nil: true
        case .first: entries.last.map { !$0.order.span.precedes(order.span) } ?? false
        case .last: entries.first.map { !order.span.precedes($0.order.span) } ?? false
        }
    }

    /// Takes as many of the known children as the limit lets in.
    ///
    /// - Returns: Whether these are all: none that is not known can lie before one of them.
    private mutating func take(_ known: [Entry]) -> Bool {
        guard let limit = query.query.limit else {
            entries = known
            return window.byteCount <= Self.maxBytes
        }
        let (taken, farthest): ([Entry], Entry?)
        switch limit {
        case .first(let count):
            taken = Array(known.prefix(count))
            farthest = taken.last
        case .last(let count):
            taken = Array(known.suffix(count))
            farthest = taken.first
        }
        guard isWhole || (taken.count == limit.count && (farthest.map { isInside($0.order) } ?? true)) else {
            return false
        }
        isWhole = isWhole && known.count == taken.count
        entries = taken
        return window.byteCount <= Self.maxBytes
    }
}

extension EngineTransaction {
    /// Applies the writes of one update in the order of a commit: what is put before what is deleted, priorities last.
    fileprivate func apply(inTurn writes: [EncodedWrite]) throws(TreeError) {
        for write in writes where !write.isPriority && !write.rows.isEmpty { _ = try apply(write) }
        for write in writes where !write.isPriority && write.rows.isEmpty { _ = try apply(write) }
        for write in writes where write.isPriority { _ = try apply(write) }
    }
}

extension QueryWindow {
    fileprivate var byteCount: Int { children.reduce(0) { $0 + $1.rows.bytes.count } }
}

extension TreeQuery.Limit {
    fileprivate var count: Int {
        switch self {
        case .first(let count), .last(let count): count
        }
    }
}
