extension DamagedRow {
    /// Finds the row at a path that is damaged, its leaf before its priority; nil where all can be read.
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

    /// Puts a value, or nothing, in the place of the row, as any update would: it is in the change log, and what follows from it
    /// is written with it, as if `true` had been there. Indexes of the tree are built anew.
    ///
    /// - Parameter new: What becomes of the row's path, or of its priority.
    /// - Throws: ``TreeError`` as any update; with code `precondition_failed` when the row is not what it was.
    package func replace(at path: TreePath, by new: JSONUpdate, in tree: TreeStore) async throws(TreeError) {
        guard try await Self.find(at: path, in: tree) == self else {
            throw TreeError(.preconditionFailed, "the row is not what it was", path: path)
        }
        var update = try EncodedUpdate(writes: new.writes, origin: new.origin)
        update.damagedRow = key
        // Their entries have been made of what was there, which nobody knows.
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
