import Synchronization

/// An engine that accepts the rows of a subtree in pieces, which stay invisible until all of them are shown at once. No
/// transaction is therefore long, however large a write is.
///
/// ``stage(_:)`` stages the rows, in short transactions. A transaction shows them with ``EngineTransaction/show(_:)``:
/// from then on, reads and writes use the staging keyspace. ``settlePiece()`` then moves the rows to their final keys,
/// in further short transactions. Only one subtree may be staged at a time; the caller ensures this.
///
/// If the process ends, the next one removes rows that are staged but not shown, and moves rows that are shown.
final class StagingEngine: Engine {
    /// The largest number of rows, and their approximate largest size in bytes, that one transaction stages or moves,
    /// so that it takes only some milliseconds.
    struct Piece: Sendable {
        var rows = 2048
        var bytes = 1 << 20
    }

    private let base: any Engine
    private let piece: Piece
    /// The staged subtree after the last transaction.
    private let subtree: Mutex<StagedSubtree?>
    /// Whether a state with a staged subtree may be read. It stays true until the store is opened again, because old
    /// states are still read. If it is true, each read costs one more search.
    private let mayBeStaged: Atomic<Bool>

    /// Creates the engine on top of another one, including the rows that are staged there.
    init(_ base: any Engine, piece: Piece = Piece()) async throws(TreeError) {
        let subtree = try await base.read { snapshot throws(TreeError) in try Self.subtree(in: snapshot) }
        self.base = base
        self.piece = piece
        self.subtree = Mutex(subtree)
        mayBeStaged = Atomic(subtree != nil)
    }

    private static func subtree(in snapshot: any EngineSnapshot) throws(TreeError) -> StagedSubtree? {
        guard let row = try snapshot.value(for: StagedSubtree.key) else { return nil }
        return try StagedSubtree(row: row.span)
    }

    // MARK: Staging

    /// Stages the rows of a write, before ``EngineTransaction/show(_:)`` shows them.
    ///
    /// - Throws: The engine's failure; some of the rows may be staged then, and ``settlePiece()`` removes them.
    func stage(_ write: EncodedWrite) async throws(TreeError) {
        mayBeStaged.store(true, ordering: .sequentiallyConsistent)
        var start = 0
        while start < write.rows.bytes.count {
            let (from, piece) = (start, piece)
            start = try await base.write { transaction throws(TreeError) in
                let prefix = StagedSubtree.stagedKey(write.key)
                var (key, end, count) = (prefix, from, 0)
                try write.rows.forEach(from: from) { path, value throws(TreeError) in
                    key.removeSubrange(prefix.count...)
                    key.append(path)
                    // Server values are numbers; they are resolved at the commit.
                    let leaf = LeafEncoding.isServerValue(value) ? LeafEncoding.encode(0 as Int64) : value.copied
                    try transaction.put(leaf.span, for: key.span)
                    end += RowBlock.byteCount(path: path, value: value)
                    count += 1
                    return count < piece.rows && end - from < piece.bytes
                }
                return end
            }
        }
    }

    /// Moves a piece of the shown subtree to its final keys, or removes a piece of the rows that are staged but not
    /// shown.
    ///
    /// - Returns: Whether there is nothing left to do.
    func settlePiece() async throws(TreeError) -> Bool {
        let piece = piece
        let remainder: Remainder = try await base.write { transaction throws(TreeError) in
            guard let subtree = self.subtree.withLock({ $0 }) else {
                let isDone = try transaction.removeFirst(in: StoreFormat.stagingRange, piece)
                return Remainder(subtree: nil, isDone: isDone)
            }
            guard try transaction.removeFirst(in: subtree.range, piece) else {
                return Remainder(subtree: subtree, isDone: false)
            }
            return Remainder(subtree: try transaction.settleFirst(of: subtree, piece), isDone: false)
        } committed: { remainder in
            self.subtree.withLock { $0 = remainder.subtree }
        }
        return remainder.isDone
    }

    private struct Remainder: Sendable {
        let subtree: StagedSubtree?
        let isDone: Bool
    }

    // MARK: Engine

    func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await base.read(size) { snapshot throws(TreeError) in
            // The state is fixed at this point: if nothing had been staged before, it contains no staged rows.
            guard self.mayBeStaged.load(ordering: .sequentiallyConsistent),
                let subtree = try Self.subtree(in: snapshot)
            else { return try body(snapshot) }
            return try body(StagingSnapshot(base: snapshot, subtree: subtree))
        }
    }

    /// Reads one state of the underlying engine, with the staged rows in their own keyspace.
    func readAsKept<Result: Sendable>(
        _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        try await base.read(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        try await base.write { base throws(TreeError) in
            let transaction = StagingTransaction(base, subtree: self.subtree.withLock { $0 })
            return (result: try body(transaction), subtree: transaction.subtree)
        } committed: { outcome in
            self.subtree.withLock { $0 = outcome.subtree }
            committed(outcome.result)
        }.result
    }

    var fault: TreeError? { base.fault }
    var logBytes: Int { base.logBytes }
    func probe() async throws(TreeError) { try await base.probe() }
    func checkStructure() async throws(TreeError) { try await base.checkStructure() }
    func close() async { await base.close() }
}

extension EngineTransaction {
    /// Replaces a node by the staged rows of a write.
    func show(_ write: EncodedWrite) throws(TreeError) {
        try removeLeaf(above: write)
        try put(StagedSubtree(.subtree(write.key)).row, for: StagedSubtree.key)
        // Programs without support for staging would read the previous data.
        try put([StoreFormat.versionWhileStaged], for: StoreFormat.versionKey)
        try write.filledIn.forEach { path, value throws(TreeError) in
            try put(value.copied, for: write.key + path.copied)
            return true
        }
    }

    /// Removes the first rows of a range.
    ///
    /// - Returns: Whether the range is empty afterwards.
    fileprivate func removeFirst(in range: ByteRange, _ piece: StagingEngine.Piece) throws(TreeError) -> Bool {
        let rows = try first(in: range, piece)
        if let end = rows.end { try remove(ByteRange(from: range.lower, upTo: end)) }
        return rows.areAll
    }

    /// Moves the first rows of a staged subtree to their final keys.
    ///
    /// - Returns: The rest of the staged subtree; nil if all rows have been moved.
    fileprivate func settleFirst(
        of subtree: StagedSubtree, _ piece: StagingEngine.Piece
    ) throws(TreeError) -> StagedSubtree? {
        let (lower, upper) = (
            StagedSubtree.stagedKey(subtree.range.lower), StagedSubtree.stagedKey(subtree.range.upper)
        )
        let rows = try first(in: ByteRange(from: lower, upTo: upper), piece)
        try rows.rows.forEach { key, value throws(TreeError) in
            try put(value, for: key.extracting(droppingFirst: 1))
            return true
        }
        if let end = rows.end { try remove(ByteRange(from: lower, upTo: end)) }
        guard !rows.areAll, let end = rows.end else {
            try remove(.only(StagedSubtree.key))
            try put([StoreFormat.version], for: StoreFormat.versionKey)
            return nil
        }
        let rest = StagedSubtree(ByteRange(from: Array(end.dropFirst()), upTo: subtree.range.upper))
        try put(rest.row, for: StagedSubtree.key)
        return rest
    }

    /// Returns the first rows of a range, the start of the next ones if any row was found, and whether these are all
    /// rows.
    private func first(
        in range: ByteRange, _ piece: StagingEngine.Piece
    ) throws(TreeError) -> (rows: RowBlock, end: [UInt8]?, areAll: Bool) {
        var (rows, end): (RowBlock, [UInt8]?) = (RowBlock(), nil)
        try scan(range, reverse: false) { key, value throws(TreeError) in
            rows.append(path: key, value: value)
            let isLast = rows.count >= piece.rows || rows.bytes.count >= piece.bytes
            end = key.copied + [0]
            return !isLast
        }
        return (rows, end, rows.count < piece.rows && rows.bytes.count < piece.bytes)
    }
}
