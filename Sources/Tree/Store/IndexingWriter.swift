/// Applies writes in a transaction, and maintains the index entries and expiry times that the rules define. A tree
/// without rules costs one search per transaction.
struct IndexingWriter {
    /// The number of deletions that share a search.
    private static let deletionsAtOnce = 64

    let transaction: any EngineTransaction
    let rules: RulesCache
    let timestamp: Timestamp
    /// The rules of each tree, by the prefix of its row keys.
    private var rulesOfTrees: [ArraySlice<UInt8>: TreeRules?] = [:]

    init(_ transaction: any EngineTransaction, rules: RulesCache, timestamp: Timestamp) {
        self.transaction = transaction
        self.rules = rules
        self.timestamp = timestamp
    }

    /// Replaces the value of a node.
    ///
    /// - Parameter isStaged: Whether the rows of the write have been staged.
    /// - Returns: Whether the write changed anything.
    mutating func apply(_ write: EncodedWrite, isStaged: Bool = false) throws(TreeError) -> Bool {
        guard let (rules, node) = try rules(concerning: write.key) else {
            guard isStaged else { return try transaction.apply(write) }
            try transaction.show(write)
            return true
        }
        let hasChanged = try IndexedWrite(write, at: node, indexes: rules.indexes).apply(to: transaction)
        try ExpiringWrite(at: node, rules: rules, timestamp: timestamp).apply(to: transaction)
        return hasChanged
    }

    /// Deletes the values of nodes; the writes are in key order.
    ///
    /// - Returns: The writes that changed something.
    mutating func delete(_ writes: [EncodedWrite]) throws(TreeError) -> [EncodedWrite] {
        var changed: [EncodedWrite] = []
        var rest = writes[...]
        while !rest.isEmpty {
            let group = rest.prefix(Self.deletionsAtOnce)
            rest = rest.dropFirst(group.count)
            if group.count > 1, try !isRuled(group), let deleted = try transaction.delete(group) {
                changed += deleted
            } else {
                for write in group where try apply(write) { changed.append(write) }
            }
        }
        return changed
    }

    /// Whether the rules define an index or a time to live for any of the nodes.
    private mutating func isRuled(_ writes: ArraySlice<EncodedWrite>) throws(TreeError) -> Bool {
        for write in writes where try rules(concerning: write.key) != nil { return true }
        return false
    }

    /// Returns the writes of an update to apply. Of an expiry, these are the deletions of nodes that have not been
    /// written since they expired.
    func wanted(of update: EncodedUpdate) throws(TreeError) -> [EncodedWrite] {
        guard update.isExpiry else { return update.writes }
        var writes: [EncodedWrite] = []
        for write in update.writes {
            guard let entry = try ExpiryTable.entry(of: write.key, in: transaction),
                entry.timestampMilliseconds <= UInt64(max(0, timestamp.milliseconds))
            else { continue }
            writes.append(write)
        }
        return writes
    }

    /// Checks an update against the rules.
    ///
    /// - Parameter writes: The writes of the update, with server values resolved.
    /// - Throws: ``TreeError`` with code `permission_denied`.
    mutating func judge(_ update: EncodedUpdate, _ writes: [EncodedWrite]) throws(TreeError) {
        guard update.requester != nil else { return }
        try update.judge(writes, in: transaction, timestamp: timestamp) {
            namespace throws(TreeError) in
            try rules(ofTree: namespace, StoreFormat.prefix(of: namespace)[...])
        }
    }

    /// Whether a write's rows may be staged: the rules define no index or time to live for its node.
    static func mayBeStaged(
        _ write: EncodedWrite, rules: RulesCache, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> Bool {
        let namespace = try StoreFormat.namespace(ofDataKey: write.key.span)
        guard let rules = try rules.rules(of: namespace, in: snapshot) else { return true }
        return try rules.concernedNode(of: write.key) == nil
    }

    /// Returns the rules of a key's tree, and its node, if the rules define an index or a time to live there; nil
    /// otherwise.
    private mutating func rules(concerning key: [UInt8]) throws(TreeError) -> (TreeRules, SegmentedKey)? {
        guard let rules = try rules(ofTreeOf: key) else { return nil }
        return try rules.concernedNode(of: key).map { (rules, $0) }
    }

    private mutating func rules(ofTreeOf key: [UInt8]) throws(TreeError) -> TreeRules? {
        let prefix = key[..<(try StoreFormat.prefixLength(of: key.span))]
        if let known = rulesOfTrees[prefix] { return known }
        return try rules(ofTree: try StoreFormat.namespace(ofDataKey: key.span), prefix)
    }

    private mutating func rules(
        ofTree namespace: Namespace, _ prefix: ArraySlice<UInt8>
    ) throws(TreeError) -> TreeRules? {
        if let known = rulesOfTrees[prefix] { return known }
        let found = try rules.rules(of: namespace, in: transaction)
        rulesOfTrees[prefix] = .some(found)
        return found
    }
}
