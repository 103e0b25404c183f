/// The children that match a query, updated from the writes of each commit without reading the store.
///
/// A child that is not in the window is outside the query's range, or beyond the limit.
struct FollowedWindow: Sendable {
    /// The largest window that is followed, in bytes of its rows; for larger ones, an update would cost as much as
    /// reading the window again.
    private static let maxBytes = 4 << 20

    private struct Entry {
        /// The bytes that order the child; they end with its segment.
        let order: [UInt8]
        let segment: [UInt8]
        let child: QueryWindow.Child
    }

    private let query: EncodedQuery
    /// The key of the query's node.
    private let top: [UInt8]
    /// The children in the query's order, ascending.
    private var entries: [Entry] = []
    /// Whether the entries are all children in the query's range.
    private var isWhole: Bool

    /// Creates the window from a read; nil if it cannot be followed because it is a leaf or too large.
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

    /// The matching children.
    var window: QueryWindow {
        let children = entries.map(\.child)
        return QueryWindow(children: query.query.isDescending ? children.reversed() : children, leaf: nil)
    }

    /// Returns the matching children as JSON text, in the form and order of
    /// ``TreeSnapshot/json(of:matching:_:unindexed:drain:)``.
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

    /// Returns the window after a change; nil if the store must be read.
    func taking(_ change: EncodedChange) throws(TreeError) -> FollowedWindow? {
        let rows = MemoryEngine.Transaction()
        var known = Dictionary(uniqueKeysWithValues: entries.map { ($0.segment, $0) })
        var next = self
        var writes: [EncodedWrite] = []
        var touched: Set<[UInt8]> = []
        for write in change.writes {
            if top.span.starts(with: write.key.span) {
                // This write determines all children.
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

    // MARK: Children outside the window

    private enum Position {
        /// The child does not exist.
        case nowhere
        /// The child does not match the query, whatever its value.
        case outside
        case unknown
    }

    /// Returns the position of a child that is not in the window.
    private func position(of segment: [UInt8]) -> Position {
        if query.order == .key {
            // The child is ordered by its segment alone.
            guard query.range.contains(segment) else { return .outside }
            return isWhole || isInside(segment) ? .nowhere : .outside
        }
        return isWhole && query.query.lower == nil && query.query.upper == nil ? .nowhere : .unknown
    }

    /// Whether all children up to this position are known, for a window that does not cover the whole range.
    private func isInside(_ order: [UInt8]) -> Bool {
        switch query.query.limit {
        case nil: true
        case .first: entries.last.map { !$0.order.span.precedes(order.span) } ?? false
        case .last: entries.first.map { !order.span.precedes($0.order.span) } ?? false
        }
    }

    /// Keeps as many of the known children as the limit allows.
    ///
    /// - Returns: Whether the result is certain: no unknown child can precede one of the entries.
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
    /// Applies the writes of one update in the order of a commit: writes before deletions, priorities last.
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
