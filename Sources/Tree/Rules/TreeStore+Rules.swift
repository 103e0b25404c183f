import Rules

extension TreeStore {
    /// The rules document of a tree as it was stored, comments and all; nil for none.
    public func rules(of namespace: Namespace = .main) async throws(TreeError) -> String? {
        try await engine.read { snapshot throws(TreeError) in
            try snapshot.value(for: TreeRules.textKey(of: namespace)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The rules document of a tree as plain JSON text, without its comments; nil for none.
    public func rulesJSON(of namespace: Namespace = .main) async throws(TreeError) -> [UInt8]? {
        guard let text = try await rules(of: namespace) else { return nil }
        return try RulesDocument(stored: text).json
    }

    /// Replaces the rules document of a tree.
    ///
    /// `.indexOn` and `.ttl` count from now on: indexes of what is there already are built in the background, and
    /// queries read all children until they are ready; what is written from now on lives for its time. `.read`,
    /// `.write` and `.validate` judge what is read and written for a ``Requester`` from now on.
    ///
    /// - Throws: ``TreeError`` with code `invalid_rules`, whose message begins with the line and the column (the old
    ///   rules stay then), `too_large`, or the engine's failure.
    /// - Parameter onlyIfNone: Whether rules that are there already stay.
    /// - Returns: Whether these are the rules now.
    @discardableResult
    public func setRules(
        _ text: String, of namespace: Namespace = .main, onlyIfNone: Bool = false
    ) async throws(TreeError) -> Bool {
        let root = try RulesDocument(text).root
        // A store that takes no writes has its rules all the same.
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
        maintenance.wake()
        queries.refresh(of: namespace)
        return true
    }
}
