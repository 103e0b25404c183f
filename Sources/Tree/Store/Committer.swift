import Synchronization

/// Applies groups of updates to the engine, one group at a time, and leaves what they changed in the commit stream.
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

    /// The answers to a group, and when its transaction began and was written.
    private struct Applied: Sendable {
        let begun = ContinuousClock.now
        var end = ContinuousClock.now
        var answers: [GroupCommit.Answer] = []
    }

    /// Applies a group in one transaction: each update is judged against what those before it left, and refused alone.
    ///
    /// - Parameter takeGroup: Gives the group when the transaction begins.
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
            // The next transaction may be under way by now. A new listener may be told of a write of it that changes nothing.
            commits.endWrites()
            throw error
        }
    }

    /// Leaves what has been changed for those who listen; durable by now.
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
                for precondition in decided.preconditions { try precondition.check(in: snapshot) }
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

    /// The update; decided anew if what it was decided by has changed.
    private func decided(
        _ update: EncodedUpdate, by snapshot: TreeSnapshot, at token: SyncToken
    ) throws(TreeError) -> EncodedUpdate {
        guard let basis = update.basis, try !basis.reads.holds(in: snapshot.engine, at: token) else { return update }
        if let update = basis.decide(snapshot) { return update }
        return try EncodedUpdate(writes: [], origin: .put)
    }

    /// Applies the writes of one update.
    ///
    /// - Returns: What they changed, at this position of the change log; nil when everything was like that before.
    private func apply(
        _ writes: [EncodedWrite], of update: EncodedUpdate, by writer: inout IndexingWriter,
        in snapshot: TreeSnapshot, token: SyncToken
    ) throws(TreeError) -> EncodedChange? {
        let (transaction, time) = (writer.transaction, writer.timestamp)
        var derived = DerivedWrites(derivations, of: commits)
        try derived.prepare(writes, from: update.firstStratum, in: transaction)
        // What is put before what is deleted: a node that keeps a child keeps its priority. Priorities last: the node
        // may come by the same update.
        var changed: [EncodedWrite] = []
        for write in writes where !write.isPriority && !write.rows.isEmpty {
            if try writer.apply(write, isStaged: update.isStaged) { changed.append(write) }
        }
        changed += try writer.delete(writes.filter { !$0.isPriority && $0.rows.isEmpty })
        for write in writes where write.isPriority {
            if try writer.apply(write) { changed.append(write) }
        }
        if changed.isEmpty {
            guard update.isRepeated else { return nil }
            // What was taken back in the commit that brought it is in the log as what is not there.
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
