import Concurrency
import Synchronization

/// Commits updates, those that replace a node by very many rows, or long ones, in such a way that others hardly wait
/// for them: the rows are staged before the update's turn in a transaction comes.
///
/// One is staged at a time; the next waits until the one before has been settled. Where rules keep something beside the
/// rows of the node, and of updates that write several nodes, all is done in one transaction after all.
final class LargeWrites: BackgroundWork {
    private static let retryInterval = Duration.seconds(5)

    private let engine: StagingEngine
    private let group: GroupCommit
    private let changeLog: ChangeLog
    private let rules: RulesCache
    private let derivations: Derivations
    private let clock: @Sendable () -> Timestamp
    /// The room that deletions have on a full disk; nil for none.
    let reserve: RoomReserve?
    /// The number of rows from which on a write is large, and that of their bytes.
    private let minRows, minBytes: Int
    let limits: WriteLimits
    private let turns = StagingTurns()
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The task, of the priority of those who wait for their turn: with less it might not run while others do.
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

    /// Ends the work after the piece at hand, which the next start goes on with; nothing is staged any more.
    func close() async {
        await stop()
        turns.close()
    }

    /// Waits until all that was staged is where it belongs, or cannot be taken there now.
    func waitUntilSettled() async {
        if await turns.take() { turns.give() }
    }

    /// Commits an update; see ``GroupCommit/commit(_:)``.
    ///
    /// - Throws: ``TreeError`` with code `too_large`, too, for somebody whom rules bind, and who writes very much in one
    ///   transaction; with code `disk_full`, too, while only deletions have room.
    func commit(_ update: EncodedUpdate) async throws(TreeError) -> CommitReceipt {
        guard let reserve else { return try await commitAnyhow(update) }
        return try await reserve.admit(makingRoom: update.makesRoom) { () async throws(TreeError) in
            try await commitAnyhow(update)
        }
    }

    private func commitAnyhow(_ update: EncodedUpdate) async throws(TreeError) -> CommitReceipt {
        try limits.check(update)
        guard let write = update.onlyWrite, write.rows.count >= minRows || write.rows.bytes.count >= minBytes else {
            try limits.checkRows(of: update)
            return try await group.commit(update)
        }
        switch try await course(of: update, write) {
        case .unchanged(let token):
            return CommitReceipt(token: token, writes: update.writes, change: nil)
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
        /// The write is what is there, at this position of the change log: there is nothing to write.
        case unchanged(SyncToken)
        case stage
        /// The write goes into one transaction: something has to be kept beside its rows, or it has to be decided anew.
        case direct
    }

    private func course(of update: EncodedUpdate, _ write: EncodedWrite) async throws(TreeError) -> Course {
        if try derivations.concern(write) { return .direct }
        return try await engine.read { [changeLog, rules, clock] engine throws(TreeError) in
            // The commit judges once more; but nothing is staged, nor called unchanged, for whoever may not write it.
            try update.judge(beforeTurnIn: engine, timestamp: clock(), rules: rules)
            guard try IndexingWriter.mayBeStaged(write, rules: rules, in: engine) else { return .direct }
            guard !write.hasServerValues, !update.isRepeated, try engine.hasSameRows(as: write) else { return .stage }
            let snapshot = TreeSnapshot(engine: engine, changeLog: changeLog, rules: rules)
            if let reads = update.basis?.reads, try !reads.holds(in: engine, at: snapshot.token) { return .direct }
            for precondition in update.preconditions { try precondition.check(in: snapshot) }
            return .unchanged(try snapshot.token)
        }
    }

    /// Settles what is staged, and gives the next one its turn, again and again.
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

/// The turn to stage rows, first come, first served: at first nobody's, until what an earlier process has left is
/// settled.
private final class StagingTurns: Sendable {
    private enum Phase {
        case free, taken
        /// The staged rows cannot be settled now.
        case refused, closed
    }

    private struct State {
        var phase = Phase.taken
        var waiting: [Waiter] = []
    }

    private let state = Mutex(State())

    /// Waits for the turn, behind those who came before.
    ///
    /// - Returns: Whether it came; false, too, when the task is cancelled.
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

    /// Gives the turn to the next one, or to nobody.
    func give() {
        let next = state.withLock { state -> Waiter? in
            guard state.phase != .closed else { return nil }
            state.phase = state.waiting.isEmpty ? .free : .taken
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.finish(true)
    }

    /// Lets nobody have a turn until the next ``give()``.
    func refuse() { end(with: .refused) }

    /// Lets nobody have a turn any more.
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
