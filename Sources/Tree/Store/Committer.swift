import Synchronization

/// Applies groups of updates to the engine, one group at a time, and tells the subscriptions.
final class Committer: Sendable {
    private let engine: any Engine
    private let changeLog: ChangeLog
    private let rules: RulesCache
    private let subscriptions: Subscriptions
    private let live: LiveHub
    private let signal: ChangeSignal
    private let mark: CommitMark?
    private let tombstones: Tombstones?
    private let clock: @Sendable () -> Int64
    let statistics = Mutex(TreeStore.Statistics())

    init(
        engine: any Engine, changeLog: ChangeLog, rules: RulesCache, subscriptions: Subscriptions, live: LiveHub,
        signal: ChangeSignal, mark: CommitMark?, tombstones: Tombstones?, clock: @escaping @Sendable () -> Int64
    ) {
        self.engine = engine
        self.changeLog = changeLog
        self.rules = rules
        self.subscriptions = subscriptions
        self.live = live
        self.signal = signal
        self.mark = mark
        self.tombstones = tombstones
        self.clock = clock
    }

    /// Applies a group in one transaction: each update is judged against what those before it left, and refused alone.
    ///
    /// - Parameter takeGroup: Gives the group when the transaction begins.
    /// - Returns: An answer for each update, in their order.
    /// - Throws: The engine's failure; nothing of the group is written then.
    func apply(
        _ takeGroup: @escaping @Sendable () -> [EncodedUpdate]
    ) async throws(TreeError) -> [GroupCommit.Answer] {
        await live.waitForRoom()
        return try await engine.write { [self] transaction throws(TreeError) in
            try apply(takeGroup(), to: transaction, timestampMilliseconds: clock())
        } committed: { [self] answers in
            tell(answers)
        }
    }

    /// Tells all who wait for changes of those that have been made.
    private func tell(_ answers: [GroupCommit.Answer]) {
        var applied = 0
        var last: SyncToken?
        for case .success(let receipt) in answers where !receipt.writes.isEmpty {
            applied += 1
            guard let change = receipt.change else { continue }
            subscriptions.deliver(change)
            live.publish(change)
            last = change.token
        }
        if let last {
            mark?.advance(to: last)
            signal.advance(to: last)
        }
        count(applied)
    }

    private func apply(
        _ group: [EncodedUpdate], to transaction: any EngineTransaction, timestampMilliseconds: Int64
    ) throws(TreeError) -> [GroupCommit.Answer] {
        let snapshot = TreeSnapshot(engine: transaction, changeLog: changeLog, rules: rules)
        var writer = RuledWriter(transaction, rules: rules, timestampMilliseconds: timestampMilliseconds)
        var token = try snapshot.token
        var answers: [GroupCommit.Answer] = []
        for update in group {
            let writes: [EncodedWrite]
            do {
                for precondition in update.preconditions { try precondition.check(in: snapshot) }
                writes = try Self.resolve(
                    try writer.wanted(of: update), in: transaction, timestampMilliseconds: timestampMilliseconds)
            } catch {
                guard error.isRefusal else { throw error }
                answers.append(.failure(error))
                continue
            }
            let watched = try WatchedPlaces(below: writes, of: live, in: transaction)
            let mortal = try tombstones?.candidates(for: writes, in: transaction) ?? []
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
            try tombstones?.record(mortal, timestampMilliseconds: timestampMilliseconds, in: transaction)
            changed.sort { $0.key.lexicographicallyPrecedes($1.key) }
            var change: EncodedChange?
            if !changed.isEmpty {
                token = try changeLog.token(after: token)
                let committed = EncodedChange(
                    token: token, timestampMilliseconds: timestampMilliseconds, origin: update.origin, writes: changed,
                    unchangedPlaces: try watched.unchanged(),
                    nodesOfPriorities: try WatchedPlaces.nodesOfPriorities(among: changed, of: live, in: transaction))
                try changeLog.append(committed, in: transaction)
                change = committed
            }
            answers.append(.success(CommitReceipt(token: token, writes: writes, change: change)))
        }
        try changeLog.trim(after: token, timestampMilliseconds: timestampMilliseconds, in: transaction)
        return answers
    }

    /// Fills in what the server is to fill in, by what is there before the update.
    private static func resolve(
        _ writes: [EncodedWrite], in transaction: any EngineTransaction, timestampMilliseconds: Int64
    ) throws(TreeError) -> [EncodedWrite] {
        guard writes.contains(where: \.hasServerValues) else { return writes }
        var resolved = writes
        for index in resolved.indices where resolved[index].hasServerValues {
            let key = resolved[index].key
            resolved[index].rows = try resolved[index].rows.mapValues { path, leaf throws(TreeError) in
                guard LeafEncoding.isServerValue(leaf) else { return nil }
                return try LeafEncoding.resolve(
                    leaf, old: try transaction.value(for: key + path.copied),
                    timestampMilliseconds: timestampMilliseconds)
            }
            resolved[index].hasServerValues = false
        }
        return resolved
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
