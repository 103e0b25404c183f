import Concurrency
import Synchronization

/// Commits updates. An update that replaces a single node by very many rows, or by large ones, hardly delays other
/// writers: its rows are staged before its transaction.
///
/// One write is staged at a time; the next waits until the rows of the previous one have been moved to their final
/// keys. Updates of several nodes, and of nodes with indexes or times to live, are committed in a single transaction.
final class LargeWrites: BackgroundWork {
    private static let retryInterval = Duration.seconds(5)

    private let engine: StagingEngine
    private let group: GroupCommit
    private let changeLog: ChangeLog
    private let rules: RulesCache
    private let derivations: Derivations
    private let clock: @Sendable () -> Timestamp
    /// The space that is reserved for deletions on a full disk; nil for none.
    let reserve: RoomReserve?
    /// The number of rows, and their size in bytes, from which on a write is large.
    private let minRows, minBytes: Int
    let limits: WriteLimits
    private let turns = StagingTurns()
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The task that moves staged rows. Its priority is that of the tasks that wait for it; with a lower one it might
    /// not run while they do.
    let task = BackgroundTask(name: "Tree settling", priority: .medium)

    init(
        engine: StagingEngine, group: GroupCommit, changeLog: ChangeLog, rules: RulesCache, derivations: Derivations,
        reserve: RoomReserve?, clock: @escaping @Sendable () -> Timestamp, minRows: Int, minBytes: Int
    ) {
        self.engine = engine
        self.group = group
        self.changeLog = changeLog
        self.rules = rules
        self.derivations = derivations
        self.reserve = reserve
        self.clock = clock
        self.minRows = minRows
        self.minBytes = minBytes
        limits = WriteLimits(maxRows: minRows, derivations: derivations)
    }

    /// Ends the work after the current step; the next start continues it. No rows are staged afterwards.
    func close() async {
        await stop()
        turns.close()
    }

    /// Waits until all staged rows have been moved to their final keys, or cannot be moved at present.
    func waitUntilSettled() async {
        if await turns.take() { turns.give() }
    }

    /// Commits an update; see ``GroupCommit/commit(_:)``.
    ///
    /// - Throws: ``TreeError``; also with code `too_large` for a requester who is bound by rules and writes too much in
    ///   one transaction, and with code `disk_full` while only deletions are accepted.
    func commit(_ update: EncodedUpdate) async throws(TreeError) -> CommitReceipt {
        guard let reserve else { return try await commitAnyhow(update) }
        return try await reserve.admit(makingRoom: makesRoom(update)) { () async throws(TreeError) in
            try await commitAnyhow(update)
        }
    }

    /// Whether an update frees space. One that is recorded (``RequestKey``) does so only if there is something to delete.
    private func makesRoom(_ update: EncodedUpdate) async throws(TreeError) -> Bool {
        guard update.makesRoom, update.hasRecords else { return update.makesRoom }
        return try await engine.read { engine throws(TreeError) in try update.findsNode(in: engine) }
    }

    private func commitAnyhow(_ update: EncodedUpdate) async throws(TreeError) -> CommitReceipt {
        try limits.check(update)
        guard let write = update.onlyWrite, write.rows.count >= minRows || write.rows.bytes.count >= minBytes else {
            try limits.checkRows(of: update)
            return try await group.commit(update)
        }
        switch try await course(of: update, write) {
        case .unchanged(let token):
            return try await commitRest(of: update, unchangedAt: token)
        case .stage where await turns.take():
            defer { wakeUps.continuation.yield() }
            try await engine.stage(write)
            var update = update
            update.isStaged = true
            return try await group.commit(update)
        case .stage:
            return try await group.commit(update)
        case .direct:
            try limits.checkRows(of: update)
            return try await group.commit(update)
        }
    }

    private enum Course: Sendable {
        /// The node already has this value at this position of the change log, so there is nothing to write.
        case unchanged(SyncToken)
        case stage
        /// The write needs a single transaction, because its rows are indexed or expire, or because it must be decided
        /// again.
        case direct
    }

    private func course(of update: EncodedUpdate, _ write: EncodedWrite) async throws(TreeError) -> Course {
        if try derivations.concern(write) { return .direct }
        return try await engine.read { [changeLog, rules, clock] engine throws(TreeError) in
            // The commit checks the rules again. This check prevents staging, and answering "unchanged", for a
            // forbidden write.
            try update.judge(beforeTurnIn: engine, timestamp: clock(), rules: rules)
            guard try IndexingWriter.mayBeStaged(write, rules: rules, in: engine) else { return .direct }
            guard !write.hasServerValues, !update.isRepeated, try engine.hasSameRows(as: write) else { return .stage }
            let snapshot = TreeSnapshot(engine: engine, changeLog: changeLog, rules: rules)
            if let reads = update.basis?.reads, try !reads.holds(in: engine, at: snapshot.token) { return .direct }
            try update.checkPreconditions(in: snapshot)
            return .unchanged(try snapshot.token)
        }
    }

    /// Commits what the service has added to an update whose only write changes nothing.
    private func commitRest(
        of update: EncodedUpdate, unchangedAt token: SyncToken
    ) async throws(TreeError) -> CommitReceipt {
        let added = update.writes.filter(\.isOfService)
        guard !added.isEmpty else { return CommitReceipt(token: token, writes: update.writes, change: nil) }
        var rest = try EncodedUpdate(writes: added, origin: update.origin, preconditions: update.preconditions)
        rest.requester = update.requester
        rest.judgesConditions = update.judgesConditions
        let receipt = try await group.commit(rest)
        return CommitReceipt(token: receipt.token, writes: update.writes, change: receipt.change)
    }

    /// Repeatedly moves the staged rows to their final keys and then gives the turn to the next write.
    @concurrent
    func run() async {
        while !Task.isCancelled {
            do {
                while !Task.isCancelled, try await !engine.settlePiece() {}
                turns.give()
                for await _ in wakeUps.stream { break }
            } catch {
                guard error.code != .closed else { return }
                turns.refuse()
                try? await Task.sleep(for: Self.retryInterval)
            }
        }
    }
}

/// The turn to stage rows, first come, first served. Initially it is taken, until the rows that an earlier process has
/// staged are handled.
private final class StagingTurns: Sendable {
    private enum Phase {
        case free, taken
        /// The staged rows cannot be moved at present.
        case refused, closed
    }

    private struct State {
        var phase = Phase.taken
        var waiting: [Waiter] = []
    }

    private let state = Mutex(State())

    /// Waits for the turn, after earlier callers.
    ///
    /// - Returns: Whether the caller has the turn; false also if the task is cancelled.
    func take() async -> Bool {
        await Waiter.wait { waiter in
            state.withLock { state in
                guard !Task.isCancelled else { return false }
                switch state.phase {
                case .free: state.phase = .taken
                case .taken:
                    state.waiting.append(waiter)
                    return nil
                case .refused, .closed: return false
                }
                return true
            }
        } leave: { id in
            state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
        }
    }

    /// Gives the turn to the next caller, or frees it.
    func give() {
        let next = state.withLock { state -> Waiter? in
            guard state.phase != .closed else { return nil }
            state.phase = state.waiting.isEmpty ? .free : .taken
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.finish(true)
    }

    /// Refuses the turn to all callers until the next ``give()``.
    func refuse() { end(with: .refused) }

    /// Refuses the turn to all callers from now on.
    func close() { end(with: .closed) }

    private func end(with phase: Phase) {
        let waiting = state.withLock { state in
            if state.phase != .closed { state.phase = phase }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.finish(false) }
    }
}
