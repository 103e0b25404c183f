/// A piece of the background work on an index, done in one transaction.
struct IndexBatch {
    /// The largest number of searches or removals in a piece.
    static let maxSteps = 512

    let namespace: Namespace
    let index: Index

    private var tree: [UInt8] { StoreFormat.prefix(of: namespace) }

    /// The key of the row that stores the progress of building the index.
    private var cursorKey: [UInt8] {
        var key = StoreFormat.metaKey("cursor", of: namespace) + [0]
        key.appendBigEndian(index.id)
        return key
    }

    /// Does the piece, unless the rules have changed meanwhile.
    func run(in transaction: any EngineTransaction) throws(TreeError) {
        guard let row = try transaction.value(for: RulesCatalog.key(of: namespace)) else { return }
        var catalog = try RulesCatalog(row: row.span)
        guard catalog.indexes.contains(index) else { return }
        switch index.state {
        case .ready: return
        case .building:
            guard try build(in: transaction) else { return }
            catalog.markReady(index.id)
        case .dropped:
            guard try removeEntries(in: transaction) else { return }
            catalog.forget(index.id)
        }
        try transaction.remove(.only(cursorKey))
        try transaction.put(catalog.row, for: RulesCatalog.key(of: namespace))
    }

    /// Adds entries for existing children.
    ///
    /// Children that have been written since the index was defined already have the same entry.
    ///
    /// - Returns: Whether the index is complete.
    private func build(in transaction: any EngineTransaction) throws(TreeError) -> Bool {
        let all = ByteRange.subtree(tree)
        let start = try transaction.value(for: cursorKey) ?? all.lower
        let rest = try index.children.forEachNode(
            in: ByteRange(from: start, upTo: all.upper), below: tree.count, of: transaction, maxSearches: Self.maxSteps
        ) { child, segmentStart throws(TreeError) in
            try transaction.put([], for: try index.entry(of: child, segmentStart: segmentStart, in: transaction))
        }
        guard let rest else { return true }
        try transaction.put(rest.lower, for: cursorKey)
        return false
    }

    /// Removes entries.
    ///
    /// - Returns: Whether all entries have been removed.
    private func removeEntries(in transaction: any EngineTransaction) throws(TreeError) -> Bool {
        let all = ByteRange.subtree(index.prefix(tree: tree[...]))
        var (count, last): (Int, [UInt8]) = (0, all.lower)
        try transaction.scan(all, reverse: false) { key, _ in
            count += 1
            guard count == Self.maxSteps else { return true }
            last = key.copied
            return false
        }
        guard count == Self.maxSteps else {
            try transaction.remove(all)
            return true
        }
        try transaction.remove(ByteRange(from: all.lower, upTo: last + [0]))
        return false
    }
}
