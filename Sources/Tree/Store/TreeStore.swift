public import CoreMetrics
import Synchronization

/// A JSON tree with atomic multi-path updates, paged reads, snapshots, a change log and subscriptions.
///
/// It is the data model of a Realtime Database on an ordered key-value ``Engine``: writing below a leaf replaces the
/// leaf by an object, deleting below one changes nothing, a parent vanishes with its last child. Every method may be
/// called from any task; a store is alone on its engine.
public final class TreeStore: Sendable {
    /// Whether the store can be trusted; writes are refused while it cannot.
    public let health: TreeHealth
    let engine: StagingEngine
    let changeLog: ChangeLog
    private let rules = RulesCache()
    private let group: GroupCommit
    let largeWrites: LargeWrites
    let commits: CommitStream
    let queries: QuerySubscriptions
    private let committer: Committer
    let maintenance: Maintenance
    package let healthCheck: HealthCheck
    let trimmer: ChangeLogTrimmer

    /// Opens the tree that an engine holds, or begins one.
    ///
    /// Where damage is found that leaves something to read, the store opens, and ``health`` knows.
    ///
    /// - Parameters:
    ///   - mark: What knows how far the store had come, to notice when its last updates are missing.
    ///   - reserve: The room that deletions have on a full disk.
    ///   - derivations: What follows from data, and is written with it; from what is written from now on. Each list sees
    ///   what those before it have written.
    ///   - constraints: The conditions of updates from now on.
    ///   - isMaintained: Whether indexes are built, what has expired is deleted, damage is looked for, and the change log is
    ///   kept from growing too large, in the background.
    ///   - metrics: Makes the metrics of commits.
    /// - Throws: ``TreeError`` with code `unsupported_format` when a newer version wrote it, or the engine's failure.
    public convenience init(
        engine: any Engine, retention: ChangeRetention = ChangeRetention(), mark: CommitMark? = nil,
        reserve: RoomReserve? = nil, derivations: [[any Derivation]] = [],
        constraints: [any Constraint] = [], isMaintained: Bool = true,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) async throws(TreeError) {
        try await self.init(
            engine: engine, retention: retention, mark: mark, reserve: reserve, derivations: derivations,
            constraints: constraints, isMaintained: isMaintained, metrics: metrics,
            clock: WallClock.now)
    }

    /// - Parameters:
    ///   - minRowsOfLargeWrite: The number of rows from which on a write is staged.
    ///   - minBytesOfLargeWrite: The number of their bytes from which on it is.
    ///   - piece: How much of it is staged, and settled, at a time.
    init(
        engine: any Engine, retention: ChangeRetention = ChangeRetention(), mark: CommitMark? = nil,
        reserve: RoomReserve? = nil, derivations: [[any Derivation]] = [],
        constraints: [any Constraint] = [], isMaintained: Bool = true,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        minRowsOfLargeWrite: Int = 10_000, minBytesOfLargeWrite: Int = 4 << 20,
        piece: StagingEngine.Piece = StagingEngine.Piece(),
        clock: @escaping @Sendable () -> Timestamp = WallClock.now
    ) async throws(TreeError) {
        let health = TreeHealth()
        let engine = try await StagingEngine(GuardedEngine(engine, health: health), piece: piece)
        let changeLog = ChangeLog(retention: retention)
        let commits = CommitStream()
        let metrics = CommitMetrics(metrics)
        let derivations = Derivations(derivations)
        trimmer = ChangeLogTrimmer(engine: engine, changeLog: changeLog)
        let committer = Committer(
            engine: engine, changeLog: changeLog, rules: rules, commits: commits, trimmer: trimmer, mark: mark,
            derivations: derivations, constraints: Constraints(constraints), clock: clock,
            metrics: metrics)
        self.health = health
        self.engine = engine
        self.changeLog = changeLog
        self.commits = commits
        queries = QuerySubscriptions(commits: commits)
        self.committer = committer
        group = GroupCommit(metrics: metrics) { takeGroup throws(TreeError) in try await committer.apply(takeGroup) }
        largeWrites = LargeWrites(
            engine: engine, group: group, changeLog: changeLog, rules: rules, derivations: derivations,
            reserve: reserve, clock: clock, minRows: minRowsOfLargeWrite, minBytes: minBytesOfLargeWrite)
        maintenance = Maintenance(engine: engine, rules: rules, group: group, clock: clock)
        healthCheck = HealthCheck(engine: engine, changeLog: changeLog)
        try await engine.write { transaction throws(TreeError) in try StoreFormat.checkVersion(in: transaction) }
        do {
            let token = try await healthCheck.atStart(mark: mark)
            mark?.advance(to: token)
        } catch {
            guard error.isDamage else { throw error }
        }
        largeWrites.start()
        guard isMaintained else { return }
        maintenance.start()
        healthCheck.start()
        trimmer.start()
    }

    deinit {
        largeWrites.cancel()
        maintenance.cancel()
        healthCheck.cancel()
        trimmer.cancel()
    }

    /// Finishes what has been accepted, ends all subscriptions and closes the engine; later calls throw `closed`.
    public func close() async {
        await maintenance.stop()
        await healthCheck.stop()
        await trimmer.stop()
        await largeWrites.close()
        await group.close()
        await commits.close()
        await engine.close()
    }

    /// The fault of the disk that is there although writes succeed; see ``Engine/fault``.
    public var fault: TreeError? { engine.fault }

    /// The room that deletions have on a full disk; nil for none.
    public var reserve: RoomReserve? { largeWrites.reserve }

    /// The length of the log that a start after a crash has to read, in bytes; 0 in memory.
    public var logBytes: Int { engine.logBytes }

    /// Tries to read and to write, durably, without a change; see ``Engine/probe()``.
    ///
    /// - Throws: ``TreeError``, what is in the way.
    public func probe() async throws(TreeError) {
        try await engine.probe()
        _ = try await engine.read { snapshot throws(TreeError) in try snapshot.firstKey(in: .all, reverse: false) }
    }

    /// The counts of what the store has committed since it was opened.
    public var statistics: TreeStatistics { committer.statistics.withLock { $0 } }
}

// MARK: Reading

extension TreeStore {
    /// The value at a path, with all that is below; nil if nothing is there.
    public func get(_ path: TreePath) async throws(TreeError) -> TreeValue? {
        try await read { snapshot throws(TreeError) in try snapshot.get(path) }
    }

    /// A page of a node's children; costs its own size, however many there are.
    ///
    /// See ``TreeSnapshot/children(of:range:order:limit:)``.
    public func children(
        of path: TreePath, range: KeyRange = .all, order: KeyOrder = .ascending, limit: Int? = nil
    ) async throws(TreeError) -> [TreeChild] {
        try await read { snapshot throws(TreeError) in
            try snapshot.children(of: path, range: range, order: order, limit: limit)
        }
    }

    /// A page of the keys of a node's children; costs a search for each, whatever lies below.
    ///
    /// See ``TreeSnapshot/keys(of:range:order:limit:)``.
    public func keys(
        of path: TreePath, range: KeyRange = .all, order: KeyOrder = .ascending, limit: Int? = nil
    ) async throws(TreeError) -> [TreeKey] {
        try await read { snapshot throws(TreeError) in
            try snapshot.keys(of: path, range: range, order: order, limit: limit)
        }
    }

    /// Several reads of one consistent state, which no writer changes meanwhile.
    ///
    /// - Parameters:
    ///   - size: How much they take, if that is known.
    ///   - lists: The nodes whose children are read whole, and once, whatever is asked of them: for who asks the same small ones
    ///     again and again.
    /// - Throws: What the body throws, or the engine's failure.
    public func snapshot<Value: Sendable>(
        size: ReadSize = .unknown, remembering lists: [TreePath] = [],
        _ body: @Sendable (TreeSnapshot) throws -> Value
    ) async throws -> Value {
        try unwrap(
            try await read(size) { snapshot throws(TreeError) in
                try Result { try body(snapshot.remembering(childrenOf: lists)) }.throwingDamage()
            })
    }

    /// Returns what a caller's body returned, or throws what it threw; damage that it has met is noted.
    func unwrap<Value>(_ result: Result<Value, any Error>) throws -> Value {
        if case .failure(let error as TreeError) = result { health.note(error) }
        return try result.get()
    }

    func read<Value: Sendable>(
        _ size: ReadSize = .unknown, _ body: @Sendable (TreeSnapshot) throws(TreeError) -> Value
    ) async throws(TreeError) -> Value {
        let client = ReadingClient.current
        return try await engine.read(size) { [changeLog, rules] snapshot throws(TreeError) in
            guard let client else {
                return try body(TreeSnapshot(engine: snapshot, changeLog: changeLog, rules: rules))
            }
            let rows = CountingSnapshot.Rows()
            // What has been read counts, whether or not an answer comes of it.
            defer { client.count(rows.count) }
            let counted = CountingSnapshot(base: snapshot, rows: rows)
            return try body(TreeSnapshot(engine: counted, changeLog: changeLog, rules: rules))
        }
    }
}

// MARK: Writing

extension TreeStore {
    /// Replaces what is at a path; nil deletes it.
    ///
    /// Durable when it returns. See ``update(_:)``.
    @discardableResult
    public func set(
        _ path: TreePath, to value: TreeValue?, if preconditions: [Precondition] = []
    ) async throws(TreeError) -> SyncToken {
        var update = MultiPathUpdate(preconditions: preconditions)
        update[path] = value
        return try await self.update(update)
    }

    /// Applies a multi-path update, whole or not at all.
    ///
    /// Durable when it returns, and handed to all subscriptions. Concurrent updates share a transaction. An update that
    /// writes nothing changes nothing, not even the change log. Cancelling the task does not take an update back.
    ///
    /// - Returns: The position in the change log just after the update.
    /// - Throws: ``TreeError`` with code `precondition_failed` (its path says which), `conflicting_paths`, `too_large`,
    ///   `invalid_value`, also where a ``Constraint`` refuses it, or the engine's failure; `corrupt` or `missing_updates` once ``health`` knows of damage.
    @discardableResult
    public func update(_ update: MultiPathUpdate) async throws(TreeError) -> SyncToken {
        try await largeWrites.commit(try EncodedUpdate(update)).token
    }
}

// MARK: Changes

extension TreeStore {
    /// The updates that were committed after a position, oldest first: fewer than `limit` when these are all.
    ///
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`: begin anew from a snapshot.
    public func changes(since token: SyncToken, limit: Int) async throws(TreeError) -> [Change] {
        try await engine.read { [changeLog] snapshot throws(TreeError) in
            try changeLog.changes(since: token, limit: limit, in: snapshot)
        }
    }
}
