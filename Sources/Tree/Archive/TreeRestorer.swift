/// Creates a store from archived rows, in a new file. The caller deletes a store that is not finished.
package final class TreeRestorer: Sendable {
    /// The part of the rows to restore.
    package enum Part: Sendable {
        case all
        /// Only the change log, for ``TreeReplay``.
        case changeLog
    }

    private let engine: SQLiteEngine
    private let part: Part

    /// Creates an empty store.
    ///
    /// - Parameter path: The file, which must not exist.
    package init(path: String, part: Part = .all) throws(TreeError) {
        engine = try SQLiteEngine(path: path)
        self.part = part
    }

    /// Adds pieces, in their order, in one transaction.
    ///
    /// - Returns: Whether more rows may be needed.
    /// - Throws: ``TreeError`` with code `corrupt` for rows that no store has; the engine's failure.
    package func add(_ pieces: [[UInt8]]) async throws(TreeError) -> Bool {
        let part = part
        return try await engine.write { transaction throws(TreeError) in
            var isWanted = true
            for bytes in pieces where isWanted {
                try RowBlock(bytes: bytes, count: 0).forEach { key, value throws(TreeError) in
                    if part == .changeLog, !key.isEmpty, key[0] > StoreFormat.changeLogKeyspace {
                        isWanted = false
                        return false
                    }
                    try StoreFormat.checkRow(key: key, value: value)
                    try transaction.put(value, for: key)
                    return true
                }
            }
            return isWanted
        }
    }

    /// Makes everything durable in the single file.
    package func finish() async { await engine.close() }
}
