import Synchronization

/// Applies groups of updates to the engine, one group at a time, and tells the subscriptions.
final class Committer: Sendable {
    private let engine: any Engine
    private let changeLog: ChangeLog
    private let subscriptions: Subscriptions
    private let clock: @Sendable () -> Int64
    let statistics = Mutex(TreeStore.Statistics())

    init(
        engine: any Engine, changeLog: ChangeLog, subscriptions: Subscriptions, clock: @escaping @Sendable () -> Int64
    ) {
        self.engine = engine
        self.changeLog = changeLog
        self.subscriptions = subscriptions
        self.clock = clock
    }

    /// Applies a group in one transaction: each update is judged against what those before it left, and refused alone.
    ///
    /// - Returns: An answer for each update, in their order.
    /// - Throws: The engine's failure; nothing of the group is written then.
    func apply(_ group: [EncodedUpdate]) async throws(TreeError) -> [GroupCommit.Answer] {
        let now = clock()
        let answers = try await engine.write { [changeLog] transaction throws(TreeError) in
            try Self.apply(group, to: transaction, changeLog: changeLog, timestampMilliseconds: now)
        }
        var applied = 0
        for (update, answer) in zip(group, answers) {
            guard case .success(let token) = answer, !update.writes.isEmpty else { continue }
            applied += 1
            subscriptions.deliver(
                Change(token: token, timestampMilliseconds: now, writes: update.writes.map(\.write)))
        }
        count(applied)
        return answers
    }

    private static func apply(
        _ group: [EncodedUpdate], to transaction: any EngineTransaction, changeLog: ChangeLog,
        timestampMilliseconds: Int64
    ) throws(TreeError) -> [GroupCommit.Answer] {
        let snapshot = TreeSnapshot(engine: transaction, changeLog: changeLog)
        var token = try snapshot.token
        var answers: [GroupCommit.Answer] = []
        for update in group {
            if let refusal = try refusal(of: update, in: snapshot) {
                answers.append(.failure(refusal))
                continue
            }
            if !update.writes.isEmpty {
                token = try changeLog.token(after: token)
                for write in update.writes { try apply(write, to: transaction) }
                try changeLog.append(
                    update, token: token, timestampMilliseconds: timestampMilliseconds, in: transaction)
            }
            answers.append(.success(token))
        }
        try changeLog.trim(after: token, in: transaction)
        return answers
    }

    private static func refusal(
        of update: EncodedUpdate, in snapshot: TreeSnapshot
    ) throws(TreeError) -> TreeError? {
        for precondition in update.preconditions {
            if let refusal = try precondition.refusal(in: snapshot) { return refusal }
        }
        return nil
    }

    private static func apply(
        _ write: EncodedUpdate.Write, to transaction: any EngineTransaction
    ) throws(TreeError) {
        if !write.leaves.isEmpty { try removeLeaf(above: write.key, in: transaction) }
        try transaction.remove(.subtree(write.key))
        for leaf in write.leaves { try transaction.put(leaf.value, for: write.key + leaf.path) }
    }

    /// Removes the leaf that stands where an object has to be, if there is one.
    ///
    /// A leaf has no rows below it, so that one above the key would be the key's direct predecessor.
    private static func removeLeaf(above key: [UInt8], in transaction: any EngineTransaction) throws(TreeError) {
        var leaf: [UInt8]?
        try transaction.scan(
            ByteRange(from: [StorageFormat.dataKeyspace], upTo: key), reverse: true
        ) { predecessor, _ throws(TreeError) in
            let predecessor = predecessor.copied
            if key.starts(with: predecessor) { leaf = predecessor }
            return false
        }
        if let leaf { try transaction.remove(.only(leaf)) }
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
