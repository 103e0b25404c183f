import Rules
import Synchronization

extension TreeStore {
    /// The number of changes of rules since the store was opened, of all trees. What follows from rules that were read
    /// at one number holds as long as the number stays the same.
    package var rulesChangeCount: Int { rulesChanges.load(ordering: .acquiring) }

    /// Returns the rules document of a tree as it was stored, with its comments; nil if the tree has no rules.
    public func rules(of namespace: Namespace = .main) async throws(TreeError) -> String? {
        try await engine.read { snapshot throws(TreeError) in
            try snapshot.value(for: TreeRules.textKey(of: namespace)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Returns the rules document of a tree as plain JSON text, without its comments; nil if the tree has no rules.
    public func rulesJSON(of namespace: Namespace = .main) async throws(TreeError) -> [UInt8]? {
        guard let text = try await rules(of: namespace) else { return nil }
        return try RulesDocument(stored: text).json
    }

    /// Replaces the rules document of a tree.
    ///
    /// The new rules apply from now on. Indexes of existing data (`.indexOn`) are built in the background; until they
    /// are ready, queries read all children. A `.ttl` applies to nodes that are written from now on. `.read`, `.write`
    /// and `.validate` apply to reads and writes for a `Requester`.
    ///
    /// - Parameter onlyIfNone: Whether existing rules stay unchanged.
    /// - Returns: Whether the given rules are now in effect.
    /// - Throws: ``TreeError`` with code `invalid_rules`, whose message begins with the line and the column (the old
    ///   rules stay in effect), `too_large`, or the engine's failure.
    @discardableResult
    public func setRules(
        _ text: String, of namespace: Namespace = .main, onlyIfNone: Bool = false
    ) async throws(TreeError) -> Bool {
        let root = try RulesDocument(text).root
        // A read-only store returns here without a write if it has rules.
        if onlyIfNone, try await rules(of: namespace) != nil { return false }
        let isSet = try await engine.write { transaction throws(TreeError) in
            let key = RulesCatalog.key(of: namespace)
            if onlyIfNone, try transaction.value(for: TreeRules.textKey(of: namespace)) != nil { return false }
            let row = try transaction.value(for: key)
            var catalog = try row.map { row throws(TreeError) in try RulesCatalog(row: row.span) } ?? RulesCatalog()
            catalog.replace(by: root)
            try transaction.put(catalog.row, for: key)
            try transaction.put(Array(text.utf8), for: TreeRules.textKey(of: namespace))
            return true
        }
        guard isSet else { return false }
        rulesChanges.add(1, ordering: .releasing)
        maintenance.wake()
        queries.refresh(of: namespace)
        return true
    }
}
