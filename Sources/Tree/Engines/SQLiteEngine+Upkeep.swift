import Synchronization

extension SQLiteEngine {
    /// The maintenance work that blocks readers; one kind runs at a time.
    struct Upkeep {
        /// The initial and the longest time to wait for long reads.
        static let patience = (first: Duration.seconds(1), longest: Duration.seconds(32))

        var renewal: Task<Result<Void, TreeError>, Never>?
        var restart: Task<Void, Never>?
        var pageReturn: Task<Void, Never>?
        /// The time to wait for long reads at the next restart of the log.
        var patience = Self.patience.first
    }

    /// Waits for a limited time while the log is long and being restarted.
    func waitForRestart() async {
        for _ in 0..<20 where logBytes >= maxLogBytes && upkeep.withLock({ $0.restart != nil }) { await pause() }
    }

    /// Starts a task that restarts the log. SQLite restarts it by itself only at a moment without readers, which never
    /// occurs with many readers.
    func restartLogSoon() {
        upkeep.withLock { upkeep in
            guard upkeep.restart == nil, upkeep.renewal == nil else { return }
            upkeep.restart = Task(name: "Restart of the log") { [patience = upkeep.patience] in
                let isDone = await self.restartLog(within: patience)
                self.upkeep.withLock { upkeep in
                    upkeep.restart = nil
                    upkeep.patience = isDone ? Upkeep.patience.first : min(patience * 2, Upkeep.patience.longest)
                }
            }
        }
    }

    /// Restarts the log. It first waits for long reads while quick reads continue, then blocks all readers while the
    /// rest of the log is moved.
    ///
    /// - Parameter patience: The time to wait for long reads; other long reads are blocked meanwhile.
    /// - Returns: Whether the log was restarted; if not, this is tried again when the log has grown.
    private func restartLog(within patience: Duration) async -> Bool {
        let longReads = hold([longReaders]) { $0.endTransaction() }
        defer { longReads.release() }
        guard await longReads.waitUntilComplete(within: patience) else {
            try? await withWriter { writer in writer.postponeRestart() }
            return false
        }
        try? await withWriter { writer in writer.checkpointNow() }
        let quickReads = hold([quickReaders]) { $0.endTransaction() }
        defer { quickReads.release() }
        await quickReads.waitUntilComplete()
        try? await withWriter { writer in writer.restartLog() }
        return true
    }

    /// Starts a task that returns free pages to the file system, in small steps between other writes.
    func returnFreePagesSoon() {
        upkeep.withLock { upkeep in
            guard upkeep.pageReturn == nil else { return }
            upkeep.pageReturn = Task(name: "Return of free pages") {
                while (try? await self.withWriter { writer in writer.returnFreePages() }) == true {}
                self.upkeep.withLock { $0.pageReturn = nil }
            }
        }
    }

    /// Commits an empty transaction, and repeats a checkpoint that has failed.
    public func probe() async throws(TreeError) {
        try await withWriter { writer throws(TreeError) in try writer.commitNothing() }
        if fault != nil { try await renew() }
    }

    /// Repeats a checkpoint that has failed; concurrent callers wait for the same attempt.
    func renew() async throws(TreeError) {
        let task = upkeep.withLock { upkeep in
            if let renewal = upkeep.renewal { return renewal }
            let task = Task { [restart = upkeep.restart] in
                await restart?.value
                let outcome = await self.renewAlone()
                self.upkeep.withLock { $0.renewal = nil }
                return outcome
            }
            upkeep.renewal = task
            return task
        }
        try await task.value.get()
    }

    private func renewAlone() async -> Swift.Result<Void, TreeError> {
        do {
            // This comes first, so that reads continue while the database cannot be reopened.
            try await withWriter { writer throws(TreeError) in try writer.commitNothing() }
            let barrier = fault?.code == .io ? hold([quickReaders, longReaders]) { $0.close() } : nil
            defer { barrier?.release() }
            await barrier?.waitUntilComplete()
            return .success(try await withWriter { writer throws(TreeError) in try writer.renew() })
        } catch {
            return .failure(error)
        }
    }

    /// Blocks the threads of the given lanes after each has released its current state; this precedes waiting reads.
    private func hold(
        _ lanes: [WorkerThreads<SQLiteReader>], letGo: @escaping @Sendable (SQLiteReader) -> Void
    ) -> ReaderBarrier {
        let barrier = ReaderBarrier(count: lanes.count * Self.readerCount)
        for readers in lanes {
            for _ in 0..<Self.readerCount {
                let isTaken = readers.submit(isUrgent: true) { reader in
                    letGo(reader)
                    barrier.hold()
                }
                if !isTaken { barrier.skipOne() }
            }
        }
        return barrier
    }
}
