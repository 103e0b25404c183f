public import CoreMetrics
import Synchronization

/// A JSON tree with atomic multi-path updates, paged reads, snapshots, a change log and subscriptions.
///
/// The data model is that of a Realtime Database, on an ordered key-value ``Engine``: a write below a leaf replaces the
/// leaf by an object, a deletion below a leaf changes nothing, and a parent vanishes with its last child. All methods
/// may be called from any task. A store must be the only user of its engine.
public final class TreeStore: Sendable {
    /// The health of the store; writes are refused while the data cannot be trusted.
    public let health: TreeHealth
    let engine: StagingEngine
    let changeLog: ChangeLog
    private let rules = RulesCache()
    /// The number of changes of rules since the store was opened, of all trees.
    let rulesChanges = Atomic(0)
    private let group: GroupCommit
    let largeWrites: LargeWrites
    let commits: CommitStream
    let queries: QuerySubscriptions
    private let committer: Committer
    let maintenance: Maintenance
    package let healthCheck: HealthCheck
    let trimmer: ChangeLogTrimmer

    /// Opens the tree in an engine, or creates an empty one.
    ///
    /// If damage is found but data can still be read, the store opens and ``health`` reports the damage.
    ///
    /// - Parameters:
    ///   - mark: The record of the last commit, used to detect missing updates.
    ///   - reserve: The space that is reserved for deletions on a full disk.
    ///   - derivations: The derivations that are applied to updates from now on, in strata. Each stratum sees the
    ///     writes of those before it.
    ///   - constraints: The conditions that updates must meet from now on.
    ///   - isMaintained: Whether the background tasks run: building indexes, deleting expired nodes, checking for
    ///     damage, and limiting the change log.
    ///   - metrics: Creates the metrics of commits.
    /// - Throws: ``TreeError`` with code `unsupported_format` if a newer version wrote the store, or the engine's
    ///   failure.
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
    ///   - minBytesOfLargeWrite: The size of the rows from which on a write is staged, in bytes.
    ///   - piece: The size of the pieces in which rows are staged, and moved to their final position.
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

    /// Finishes accepted updates, ends all subscriptions and closes the engine. Later calls throw `closed`.
    public func close() async {
        await maintenance.stop()
        await healthCheck.stop()
        await trimmer.stop()
        await largeWrites.close()
        await group.close()
        await commits.close()
        await engine.close()
    }

    /// A fault of the disk that exists although writes succeed; see ``Engine/fault``.
    public var fault: TreeError? { engine.fault }

    /// The space that is reserved for deletions on a full disk; nil for none.
    public var reserve: RoomReserve? { largeWrites.reserve }

    /// The length of the log that is read at a start after a crash, in bytes; 0 in memory.
    public var logBytes: Int { engine.logBytes }

    /// Tries a durable write and a read that change nothing; see ``Engine/probe()``.
    ///
    /// - Throws: ``TreeError`` that describes the obstacle.
    public func probe() async throws(TreeError) {
        try await engine.probe()
        _ = try await engine.read { snapshot throws(TreeError) in try snapshot.firstKey(in: .all, reverse: false) }
    }

    /// The counts of what the store has committed since it was opened.
    public var statistics: TreeStatistics { committer.statistics.withLock { $0 } }
}

// MARK: Reading

extension TreeStore {
    /// Returns the value at a path with everything below it; nil if none exists.
    public func get(_ path: TreePath) async throws(TreeError) -> TreeValue? {
        try await read { snapshot throws(TreeError) in try snapshot.get(path) }
    }

    /// Returns a page of a node's children, with everything below them. The cost depends on the size of the page, not
    /// on the number of children.
    ///
    /// See ``TreeSnapshot/children(of:range:order:limit:)``.
    public func children(
        of path: TreePath, range: KeyRange = .all, order: KeyOrder = .ascending, limit: Int? = nil
    ) async throws(TreeError) -> [TreeChild] {
        try await read { snapshot throws(TreeError) in
            try snapshot.children(of: path, range: range, order: order, limit: limit)
        }
    }

    /// Returns a page of the keys of a node's children; costs one search per key, whatever is stored below.
    ///
    /// See ``TreeSnapshot/keys(of:range:order:limit:)``.
    public func keys(
        of path: TreePath, range: KeyRange = .all, order: KeyOrder = .ascending, limit: Int? = nil
    ) async throws(TreeError) -> [TreeKey] {
        try await read { snapshot throws(TreeError) in
            try snapshot.keys(of: path, range: range, order: order, limit: limit)
        }
    }

    /// Reads several values from one consistent state, which writers do not change.
    ///
    /// The body may be called again, possibly with another state; only the last call counts.
    ///
    /// - Parameters:
    ///   - size: The expected amount of data, if known.
    ///   - lists: The nodes whose children are read once, as a whole, and cached: for small values that are read
    ///     repeatedly.
    /// - Throws: The body's error, or the engine's failure.
    public func snapshot<Value: Sendable>(
        size: ReadSize = .unknown, remembering lists: [TreePath] = [],
        _ body: @Sendable (TreeSnapshot) throws -> Value
    ) async throws -> Value {
        try unwrap(
            try await read(size) { snapshot throws(TreeError) in
                try Result { try body(snapshot.remembering(childrenOf: lists)) }.throwingDamage()
            })
    }

    /// Returns the result of a caller's body, or throws its error; damage that it met is recorded.
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
            // Rows that have been read are counted, even if the read fails.
            defer { client.count(rows.count) }
            let counted = CountingSnapshot(base: snapshot, rows: rows)
            return try body(TreeSnapshot(engine: counted, changeLog: changeLog, rules: rules))
        }
    }
}

// MARK: Writing

extension TreeStore {
    /// Replaces the value at a path; nil deletes it.
    ///
    /// The write is durable when this returns. See ``update(_:)``.
    @discardableResult
    public func set(
        _ path: TreePath, to value: TreeValue?, if preconditions: [Precondition] = []
    ) async throws(TreeError) -> SyncToken {
        var update = MultiPathUpdate(preconditions: preconditions)
        update[path] = value
        return try await self.update(update)
    }

    /// Applies a multi-path update as a whole or not at all.
    ///
    /// When this returns, the update is durable and has been published to all subscriptions. Concurrent updates share a
    /// transaction. An update without effect changes nothing, not even the change log. Cancelling the task does not
    /// undo an update.
    ///
    /// - Returns: The position in the change log just after the update.
    /// - Throws: ``TreeError`` with code `precondition_failed` (the error's path is that of the precondition),
    ///   `conflicting_paths`, `too_large`, `invalid_value`, also if a ``Constraint`` refuses the update, or the
    ///   engine's failure; `corrupt` or `missing_updates` once ``health`` has recorded damage.
    @discardableResult
    public func update(_ update: MultiPathUpdate) async throws(TreeError) -> SyncToken {
        try await largeWrites.commit(try EncodedUpdate(update)).token
    }
}

// MARK: Changes

extension TreeStore {
    /// Returns the updates that were committed after a position, oldest first; fewer than `limit` if these are all.
    ///
    /// - Throws: ``TreeError`` with code `token_too_old` or `token_unknown`: start again from a snapshot.
    public func changes(since token: SyncToken, limit: Int) async throws(TreeError) -> [Change] {
        try await engine.read { [changeLog] snapshot throws(TreeError) in
            try changeLog.changes(since: token, limit: limit, in: snapshot)
        }
    }
}
