/// Makes a store of the rows that an archive has kept, in a new file. A store that is not finished is to be deleted.
package final class TreeRestorer: Sendable {
    /// Which of the rows are wanted.
    package enum Part: Sendable {
        case all
        /// What was changed, and when: for ``TreeReplay``.
        case changeLog
    }

    private let engine: SQLiteEngine
    private let part: Part

    /// Makes an empty store.
    ///
    /// - Parameter path: The file, which must not be there yet.
    package init(path: String, part: Part = .all) throws(TreeError) {
        engine = try SQLiteEngine(path: path)
        self.part = part
    }

    /// Adds pieces, in their order, in one transaction.
    ///
    /// - Returns: Whether more rows may be wanted.
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

    /// Makes all of it durable, in the one file.
    package func finish() async { await engine.close() }
}
