import Synchronization

/// Commits updates, those that replace a place by very many rows in such a way that others hardly wait for them: the rows
/// are staged before the update's turn in a transaction comes.
///
/// One is staged at a time; the next waits until the one before has been settled. Where rules keep something beside the
/// rows of the place, and of updates that write several places, all is done in one transaction after all.
final class LargeWrites: Sendable {
    private static let retryInterval = Duration.seconds(5)

    private let engine: StagingEngine
    private let group: GroupCommit
    private let changeLog: ChangeLog
    private let rules: RulesCache
    private let tombstones: Tombstones?
    /// From how many rows on a write is large.
    private let minRows: Int
    private let turns = StagingTurns()
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Of the priority of those who wait for their turn: with less it might not run while others do.
    private let task = BackgroundTask(name: "Tree settling", priority: .medium)

    init(
        engine: StagingEngine, group: GroupCommit, changeLog: ChangeLog, rules: RulesCache, tombstones: Tombstones?,
        minRows: Int
    ) {
        self.engine = engine
        self.group = group
        self.changeLog = changeLog
        self.rules = rules
        self.tombstones = tombstones
        self.minRows = minRows
    }

    /// Begins to settle what is staged.
    func start() { task.start { await self.run() } }

    func cancel() { task.cancel() }

    /// Ends the work after the piece at hand; the next start goes on.
    func stop() async {
        await task.stop()
        turns.close()
    }

    /// Waits until all that was staged is where it belongs, or cannot be taken there now.
    func waitUntilSettled() async { await turns.wait() }

    /// Commits an update; see ``GroupCommit/commit(_:)``.
    func commit(_ update: EncodedUpdate) async throws(TreeError) -> CommitReceipt {
        guard let write = update.onlyWrite, write.rows.count >= minRows else {
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
        case .stage, .direct:
            return try await group.commit(update)
        }
    }

    private enum Course: Sendable {
        /// It is what is there, at this position of the change log: there is nothing to write.
        case unchanged(SyncToken)
        case stage
        /// Something has to be kept beside its rows.
        case direct
    }

    private func course(of update: EncodedUpdate, _ write: EncodedWrite) async throws(TreeError) -> Course {
        if tombstones?.concerns(write) == true { return .direct }
        return try await engine.read { [changeLog, rules] engine throws(TreeError) in
            guard try IndexingWriter.mayBeStaged(write, rules: rules, in: engine) else { return .direct }
            guard !write.hasServerValues, try engine.hasSameRows(as: write) else { return .stage }
            let snapshot = TreeSnapshot(engine: engine, changeLog: changeLog, rules: rules)
            if let reads = update.basis?.reads, try !reads.holds(in: engine, at: snapshot.token) { return .direct }
            for precondition in update.preconditions { try precondition.check(in: snapshot) }
            return .unchanged(try snapshot.token)
        }
    }

    /// Settles what is staged, and gives the next one its turn, again and again.
    @concurrent
    private func run() async {
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

/// Whose turn it is to stage rows: at first nobody's, until what an earlier process has left is settled.
private final class StagingTurns: Sendable {
    private enum State {
        case free, taken
        /// What is staged cannot be settled now, or never will be.
        case refused, closed
    }

    private let state = WatchedValue(State.taken)

    /// Waits for the turn.
    ///
    /// - Returns: Whether it came.
    func take() async -> Bool {
        while !Task.isCancelled {
            await wait()
            guard state.value != .taken else { continue }
            var found = State.taken
            state.change { state in
                found = state
                if state == .free { state = .taken }
            }
            if found != .taken { return found == .free }
        }
        return false
    }

    /// Waits until it is nobody's turn, or the task is cancelled.
    func wait() async { await state.wait { $0 != .taken } }

    func give() { change(to: .free) }
    func refuse() { change(to: .refused) }
    func close() { change(to: .closed) }

    private func change(to new: State) { state.change { if $0 != .closed { $0 = new } } }
}
