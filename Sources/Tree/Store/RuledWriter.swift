/// Applies writes in a transaction, and keeps beside the data what the rules ask for: entries of indexes, and times of
/// expiry. A tree without rules pays one search for each transaction.
struct RuledWriter {
    let transaction: any EngineTransaction
    let rules: RulesCache
    let timestampMilliseconds: Int64
    /// By what the keys of the rows of a tree begin with.
    private var rulesOfTrees: [ArraySlice<UInt8>: TreeRules?] = [:]

    init(_ transaction: any EngineTransaction, rules: RulesCache, timestampMilliseconds: Int64) {
        self.transaction = transaction
        self.rules = rules
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// Replaces what is at a place.
    ///
    /// - Returns: Whether anything is there that was not, or the other way round.
    mutating func apply(_ write: EncodedWrite) throws(TreeError) -> Bool {
        guard let rules = try rules(ofTreeOf: write.key), !rules.indexes.isEmpty || !rules.expiries.isEmpty else {
            return try transaction.apply(write)
        }
        let place = try SegmentedKey(write.key)
        let hasChanged = try IndexedWrite(write, at: place, indexes: rules.indexes).apply(to: transaction)
        try ExpiringWrite(at: place, rules: rules, timestampMilliseconds: timestampMilliseconds).apply(to: transaction)
        return hasChanged
    }

    /// The writes of an update that are to be done: of nodes that had expired, those that have not been written since.
    func wanted(of update: EncodedUpdate) throws(TreeError) -> [EncodedWrite] {
        guard update.isExpiry else { return update.writes }
        var writes: [EncodedWrite] = []
        for write in update.writes {
            guard let entry = try ExpiryTable.entry(of: write.key, in: transaction),
                entry.timestampMilliseconds <= UInt64(max(0, timestampMilliseconds))
            else { continue }
            writes.append(write)
        }
        return writes
    }

    private mutating func rules(ofTreeOf key: [UInt8]) throws(TreeError) -> TreeRules? {
        let prefix = key[..<(try StorageFormat.prefixLength(of: key.span))]
        if let known = rulesOfTrees[prefix] { return known }
        let found = try rules.rules(of: try StorageFormat.namespace(ofDataKey: key.span), in: transaction)
        rulesOfTrees[prefix] = .some(found)
        return found
    }
}
