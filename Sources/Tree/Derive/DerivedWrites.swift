/// The writes that are derived from one update while it is applied: they are written after it and reported as part of
/// it.
struct DerivedWrites {
    private let derivations: Derivations
    private let commits: CommitStream
    private var touched: Derivations.Touched
    private var listened: [ListenedValues] = []
    /// The nodes that derivations have written in trees of clients.
    private var keys: Set<[UInt8]> = []

    init(_ derivations: Derivations, of commits: CommitStream) {
        self.derivations = derivations
        self.commits = commits
        touched = derivations.untouched
    }

    /// Records the state before the writes of an update are applied.
    ///
    /// - Parameter firstStratum: The first stratum that sees the writes.
    mutating func prepare(
        _ writes: [EncodedWrite], from firstStratum: Int, in snapshot: any EngineSnapshot
    ) throws(TreeError) {
        for write in writes { try derivations.touch(write, from: firstStratum, in: snapshot, &touched) }
        listened = [try ListenedValues(below: writes, of: commits, in: snapshot)]
    }

    /// Records the writes of an update that have changed something, after they have been applied.
    mutating func note(changes: [EncodedWrite]) throws(TreeError) {
        for write in changes { try derivations.noteChange(by: write, &touched) }
    }

    /// Writes the data that are derived from an update, after it has been applied.
    mutating func derive(
        at commit: CommitPoint, in snapshot: TreeSnapshot, by writer: inout IndexingWriter
    ) throws(TreeError) {
        var states = NodeStates()
        for stratum in 0..<derivations.strataCount {
            // The writes of a stratum are seen by later strata, not by itself.
            let seen = touched
            var hasWritten = false
            try derivations.derive(stratum, from: seen, &states, at: commit, in: snapshot) { write throws(TreeError) in
                if write.path.namespace.isReserved {
                    try writer.transaction.apply(hidden: write)
                } else if try !writer.transaction.has(write) {
                    try apply(try EncodedWrite(derived: write), after: stratum, by: &writer)
                    hasWritten = true
                }
            }
            if hasWritten { states = NodeStates() }
        }
    }

    private mutating func apply(
        _ write: EncodedWrite, after stratum: Int, by writer: inout IndexingWriter
    ) throws(TreeError) {
        try derivations.touch(write, from: stratum + 1, in: writer.transaction, &touched)
        let values = try ListenedValues(below: [write], of: commits, in: writer.transaction)
        guard try writer.apply(write) else { return }
        try derivations.noteChange(by: write, &touched)
        keys.insert(write.key)
        listened.append(values)
    }

    // MARK: The change

    /// Returns all writes of the update and its derivations, in key order and none below another.
    ///
    /// - Parameter facts: The writes of the update that changed something.
    func merged(with facts: [EncodedWrite], in snapshot: any EngineSnapshot) throws(TreeError) -> [EncodedWrite] {
        guard !keys.isEmpty else { return facts.sorted { $0.key.span.precedes($1.key.span) } }
        // A node that was written twice, or is below another written node, is reported in its final state.
        let writes = facts.filter { !keys.contains($0.key) } + keys.map { EncodedWrite(key: $0, rows: RowBlock()) }
        var merged: [EncodedWrite] = []
        var isStale = false
        for write in writes.sorted(by: { $0.key.span.precedes($1.key.span) }) {
            if let top = merged.last, write.key.span.starts(with: top.key.span) {
                isStale = true
            } else {
                if isStale { merged.append(try merged.removeLast().read(from: snapshot)) }
                merged.append(write)
                isStale = keys.contains(write.key)
            }
        }
        if isStale { merged.append(try merged.removeLast().read(from: snapshot)) }
        return merged
    }

    /// Returns the nodes below the written ones that have listeners and have not changed.
    func unchangedNodes() throws(TreeError) -> Set<[UInt8]> {
        var unchanged: Set<[UInt8]> = []
        for values in listened { unchanged.formUnion(try values.unchangedNodes()) }
        guard !unchanged.isEmpty, !keys.isEmpty else { return unchanged }
        let written = keys.sorted { $0.span.precedes($1.span) }
        var stillUnchanged: Set<[UInt8]> = []
        for node in unchanged {
            let next = written.partitioningIndex { !$0.span.precedes(node.span) }
            if let key = written[next...].first, key.span.starts(with: node.span) { continue }
            let place = try SegmentedKey(node)
            if (0..<place.depth).contains(where: { keys.contains(place.ancestor(atDepth: $0)) }) { continue }
            stillUnchanged.insert(node)
        }
        return stillUnchanged
    }
}

extension EncodedWrite {
    /// Converts a write of a derivation: a leaf, or the deletion of a node.
    fileprivate init(derived write: TreeWrite) throws(TreeError) {
        try self.init(write.path, write.value, [])
    }
}

extension EngineTransaction {
    /// Whether a derived write would change nothing.
    fileprivate func has(_ write: TreeWrite) throws(TreeError) -> Bool {
        let key = StoreFormat.dataKey(write.path)
        guard let value = write.value else { return try isEmpty(.subtree(key)) }
        guard value.object == nil else { return false }  // Objects are compared when they are written.
        return try self.value(for: key) == LeafEncoding.derived(value, at: write.path)
    }

    /// Writes a leaf or deletes a node in a tree that clients cannot access.
    fileprivate func apply(hidden write: TreeWrite) throws(TreeError) {
        let key = StoreFormat.dataKey(write.path)
        guard let value = write.value else { return try remove(.subtree(key)) }
        try put(try LeafEncoding.derived(value, at: write.path), for: key)
    }
}

extension LeafEncoding {
    fileprivate static func derived(_ value: TreeValue, at path: TreePath) throws(TreeError) -> [UInt8] {
        guard let leaf = encode(value) else {
            throw TreeError(.invalidValue, "derived data in this tree must be a leaf", path: path)
        }
        return leaf
    }
}
