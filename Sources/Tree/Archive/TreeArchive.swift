/// Reads the rows of a store for backups.
package struct TreeArchive: Sendable {
    private let tree: TreeStore

    package init(of tree: TreeStore) { self.tree = tree }

    /// Passes all rows of one state to a function, unchanged and in key order. Writers are not blocked.
    ///
    /// - Parameter keep: Stores a piece, on a thread that may block. It may receive the first pieces twice.
    /// - Returns: The position of the state in the change log, its time, and the results of `keep` for each piece.
    /// - Throws: The error of `keep`, `CancellationError`, or the engine's failure.
    package func read<Kept: Sendable>(
        _ keep: @Sendable (RowPiece) throws -> Kept
    ) async throws -> ArchivedRows<Kept> {
        let result: Result<ArchivedRows<Kept>, any Error> = try await tree.engine.readAsKept {
            [changeLog = tree.changeLog] snapshot throws(TreeError) in
            var archived = ArchivedRows<Kept>(token: try changeLog.lastToken(in: snapshot))
            var splitter = RowSplitter()
            var fault: (any Error)?
            func take(_ piece: RowPiece?) -> Bool {
                guard let piece else { return true }
                do { archived.pieces.append(try keep(piece)) } catch { fault = error }
                archived.rowCount += piece.rowCount
                return fault == nil
            }
            try snapshot.scan(.all, reverse: false) { key, value throws(TreeError) in take(splitter.add(key, value)) }
            if fault == nil { _ = take(splitter.finish()) }
            return fault.map { .failure($0) } ?? .success(archived)
        }
        return try tree.unwrap(result)
    }
}

/// The rows of one state of a store, as the caller has stored them.
package struct ArchivedRows<Kept: Sendable>: Sendable {
    /// The position of the state in the change log: it contains all changes up to it and none after it.
    package let token: SyncToken
    package fileprivate(set) var rowCount = 0
    package fileprivate(set) var pieces: [Kept] = []
}
