/// The rows of a store, for whoever keeps a copy of them.
package struct TreeArchive: Sendable {
    private let tree: TreeStore

    package init(of tree: TreeStore) { self.tree = tree }

    /// Hands out all rows of one state, just as the engine keeps them, in the order of their keys. Writers go on meanwhile.
    ///
    /// - Parameter keep: Takes a piece, on a thread that may block. It may be given the first pieces twice.
    /// - Returns: The position that the state has in the change log, its time, and what `keep` returned for each piece.
    /// - Throws: What `keep` throws, `CancellationError`, or the engine's failure.
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

/// The rows of one state of a store, as something else has kept them.
package struct ArchivedRows<Kept: Sendable>: Sendable {
    /// All changes up to it are in, none after it.
    package let token: SyncToken
    package fileprivate(set) var rowCount = 0
    package fileprivate(set) var pieces: [Kept] = []
}
