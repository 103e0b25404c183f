extension DamagedRow {
    /// Finds the damaged row at a path, the leaf before its priority; nil if both can be read.
    package static func find(at path: TreePath, in tree: TreeStore) async throws(TreeError) -> DamagedRow? {
        let leaf = StoreFormat.dataKey(path)
        for key in [leaf, leaf + [PathEncoding.priorityTag]] {
            do {
                try await tree.engine.read { snapshot throws(TreeError) in
                    if let value = try snapshot.value(for: key) { _ = try LeafEncoding.decode(value, ofRow: key) }
                }
            } catch {
                guard let row = error.damagedRow else { throw error }
                return row
            }
        }
        return nil
    }

    /// Replaces the row by a value, or deletes it, with an ordinary update: it is logged as a change, and derived data
    /// are updated as if the row had been `true`. The indexes of the tree are rebuilt.
    ///
    /// - Parameter new: The new value at the row's path, or of its priority.
    /// - Throws: ``TreeError`` as for any update; with code `precondition_failed` if the row has changed.
    package func replace(at path: TreePath, by new: JSONUpdate, in tree: TreeStore) async throws(TreeError) {
        guard try await Self.find(at: path, in: tree) == self else {
            throw TreeError(.preconditionFailed, "the row has changed", path: path)
        }
        var update = try EncodedUpdate(writes: new.writes, origin: new.origin)
        update.damagedRow = key
        // The index entries were created from the original value, which is unknown.
        try await tree.engine.write { transaction throws(TreeError) in
            let catalogKey = RulesCatalog.key(of: path.namespace)
            guard let stored = try transaction.value(for: catalogKey) else { return }
            var catalog = try RulesCatalog(row: stored.span)
            catalog.rebuildIndexes()
            try transaction.put(catalog.row, for: catalogKey)
        }
        tree.maintenance.wake()
        _ = try await tree.largeWrites.commit(update)
    }
}
