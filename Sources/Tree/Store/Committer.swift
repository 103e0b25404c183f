import Synchronization

/// Applies groups of updates to the engine, one group at a time, and publishes the changes in the commit stream.
final class Committer: Sendable {
    private let engine: any Engine
    private let changeLog: ChangeLog
    private let rules: RulesCache
    private let commits: CommitStream
    private let trimmer: ChangeLogTrimmer
    private let mark: CommitMark?
    private let derivations: Derivations
    private let constraints: Constraints
    private let clock: @Sendable () -> Timestamp
    private let metrics: CommitMetrics
    let statistics = Mutex(TreeStatistics())

    init(
        engine: any Engine, changeLog: ChangeLog, rules: RulesCache, commits: CommitStream,
        trimmer: ChangeLogTrimmer, mark: CommitMark?,
        derivations: Derivations, constraints: Constraints, clock: @escaping @Sendable () -> Timestamp,
        metrics: CommitMetrics
    ) {
        self.engine = engine
        self.changeLog = changeLog
        self.rules = rules
        self.commits = commits
        self.trimmer = trimmer
        self.mark = mark
        self.derivations = derivations
        self.constraints = constraints
        self.clock = clock
        self.metrics = metrics
    }

    /// The answers to a group, and the times at which its transaction began and was written.
    private struct Applied: Sendable {
        let begun = ContinuousClock.now
        var end = ContinuousClock.now
        var answers: [GroupCommit.Answer] = []
    }

    /// Applies a group in one transaction. Each update is checked against the state that the previous ones left; a
    /// refusal concerns that update alone.
    ///
    /// - Parameter takeGroup: Returns the updates of the group; called when the transaction begins.
    /// - Returns: An answer for each update, in their order.
    /// - Throws: The engine's failure; nothing of the group is written then.
    func apply(
        _ takeGroup: @escaping @Sendable () -> [EncodedUpdate]
    ) async throws(TreeError) -> [GroupCommit.Answer] {
        await commits.waitForRoom()
        do {
            return try await engine.write { [self] transaction throws(TreeError) in
                var applied = Applied()
                applied.answers = try apply(takeGroup(), to: transaction, timestamp: clock())
                applied.end = .now
                return applied
            } committed: { [self] applied in
                metrics.commit(begun: applied.begun, applied: applied.end)
                publish(applied.answers)
            }.answers
        } catch {
            // The next transaction may have begun. A new listener may be notified of one of its writes that changes
            // nothing.
            commits.endWrites()
            throw error
        }
    }

    /// Publishes the changes of a durable transaction to listeners.
    private func publish(_ answers: [GroupCommit.Answer]) {
        var applied = 0
        var changes: [EncodedChange] = []
        let now = ContinuousClock.now
        for case .success(let receipt) in answers where !receipt.writes.isEmpty {
            applied += 1
            if var change = receipt.change {
                change.committedAt = now
                changes.append(change)
            }
        }
        if let last = changes.last {
            mark?.advance(to: last.token)
            commits.publish(changes)
            trimmer.note(changes)
        }
        commits.endWrites()
        count(applied)
    }

    private func apply(
        _ group: [EncodedUpdate], to transaction: any EngineTransaction, timestamp: Timestamp
    ) throws(TreeError) -> [GroupCommit.Answer] {
        let snapshot = TreeSnapshot(engine: transaction, changeLog: changeLog, rules: rules)
        var writer = IndexingWriter(transaction, rules: rules, timestamp: timestamp)
        var token = try snapshot.token
        var answers: [GroupCommit.Answer] = []
        for update in group {
            let next = try changeLog.token(after: token)
            let (decided, writes): (EncodedUpdate, [EncodedWrite])
            if let row = update.damagedRow { try transaction.put([LeafEncoding.trueTag], for: row) }
            do {
                decided = try self.decided(update, by: snapshot, at: token)
                writes = try writer.wanted(of: decided).resolved(
                    in: transaction, timestamp: timestamp, token: next,
                    isStaged: decided.isStaged)
                try writer.judge(decided, writes)
                try constraints.judge(writes, of: decided, in: snapshot)
                try decided.checkPreconditions(in: snapshot)
            } catch {
                guard error.isRefusal, update.damagedRow == nil else { throw error }
                answers.append(.failure(error))
                continue
            }
            let change = try apply(writes, of: decided, by: &writer, in: snapshot, token: next)
            if change != nil { token = next }
            answers.append(.success(CommitReceipt(token: token, writes: writes, change: change)))
        }
        try changeLog.trim(after: token, timestamp: timestamp, in: transaction)
        return answers
    }

    /// Returns the update; runs its decision again if the data that it read has changed.
    private func decided(
        _ update: EncodedUpdate, by snapshot: TreeSnapshot, at token: SyncToken
    ) throws(TreeError) -> EncodedUpdate {
        guard let basis = update.basis, try !basis.reads.holds(in: snapshot.engine, at: token) else { return update }
        if let update = basis.decide(snapshot) { return update }
        return try EncodedUpdate(writes: [], origin: .put)
    }

    /// Applies the writes of one update.
    ///
    /// - Returns: The change at this position of the change log; nil if nothing changed.
    private func apply(
        _ writes: [EncodedWrite], of update: EncodedUpdate, by writer: inout IndexingWriter,
        in snapshot: TreeSnapshot, token: SyncToken
    ) throws(TreeError) -> EncodedChange? {
        let (transaction, time) = (writer.transaction, writer.timestamp)
        var derived = DerivedWrites(derivations, of: commits)
        try derived.prepare(writes, from: update.firstStratum, in: transaction)
        // Writes come before deletions, because a node that keeps a child keeps its priority. Priorities come last,
        // because the same update may create the node.
        var changed: [EncodedWrite] = []
        for write in writes where !write.isPriority && !write.rows.isEmpty {
            if try writer.apply(write, isStaged: update.isStaged && !write.isOfService) { changed.append(write) }
        }
        changed += try writer.delete(writes.filter { !$0.isPriority && $0.rows.isEmpty })
        for write in writes where write.isPriority {
            if try writer.apply(write) { changed.append(write) }
        }
        try derived.note(changes: changed)
        if changed.isEmpty {
            guard update.isRepeated else { return nil }
            // A repeated change may change nothing: a value that the original commit wrote and took back is logged as
            // absent.
            changed = writes
        }
        try derived.derive(
            at: CommitPoint(token: token, timestamp: time), in: snapshot, by: &writer)
        changed = try derived.merged(with: changed, in: transaction)
        let change = EncodedChange(
            token: token, timestamp: time, origin: update.origin, writes: changed,
            unchangedNodes: try derived.unchangedNodes(),
            nodesOfPriorities: try ListenedValues.nodesOfPriorities(among: changed, of: commits, in: transaction))
        try changeLog.append(change, in: transaction)
        return change
    }

    private func count(_ applied: Int) {
        guard applied > 0 else { return }
        statistics.withLock { statistics in
            statistics.updates += applied
            statistics.transactions += 1
            statistics.largestGroup = max(statistics.largestGroup, applied)
        }
    }
}
