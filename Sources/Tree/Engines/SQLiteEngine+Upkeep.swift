import Synchronization

extension SQLiteEngine {
    /// The work that holds readers, of one kind at a time.
    struct Upkeep {
        /// The longest time for which long reads are waited for at the first try, and at all.
        static let patience = (first: Duration.seconds(1), longest: Duration.seconds(32))

        var renewal: Task<Result<Void, TreeError>, Never>?
        var restart: Task<Void, Never>?
        var pageReturn: Task<Void, Never>?
        /// The time for which the next restart of the log waits for long reads.
        var patience = Self.patience.first
    }

    /// Waits while a long log is being let begin anew, but not for long.
    func waitForRestart() async {
        for _ in 0..<20 where logBytes >= maxLogBytes && upkeep.withLock({ $0.restart != nil }) { await pause() }
    }

    /// Lets the log begin anew. It does so by itself where for a moment nobody reads, which never comes with many readers.
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

    /// Long reads are let end first, while quick ones are answered; then all are held for as long as it takes to move what is left.
    ///
    /// - Parameter patience: The time for which long reads are waited for: others of their lane wait meanwhile.
    /// - Returns: Whether it was done; else it is tried again when the log has grown.
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

    /// Returns free pages to the file system, some at a time, between the writes of others.
    func returnFreePagesSoon() {
        upkeep.withLock { upkeep in
            guard upkeep.pageReturn == nil else { return }
            upkeep.pageReturn = Task(name: "Return of free pages") {
                while (try? await self.withWriter { writer in writer.returnFreePages() }) == true {}
                self.upkeep.withLock { $0.pageReturn = nil }
            }
        }
    }

    /// Commits nothing; and when an earlier checkpoint failed, makes it anew.
    public func probe() async throws(TreeError) {
        try await withWriter { writer throws(TreeError) in try writer.commitNothing() }
        if fault != nil { try await renew() }
    }

    /// Makes the checkpoint that failed anew; those who come meanwhile wait for the same one.
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
            // First, so that reads go on while nothing can be opened anew.
            try await withWriter { writer throws(TreeError) in try writer.commitNothing() }
            let barrier = fault?.code == .io ? hold([quickReaders, longReaders]) { $0.close() } : nil
            defer { barrier?.release() }
            await barrier?.waitUntilComplete()
            return .success(try await withWriter { writer throws(TreeError) in try writer.renew() })
        } catch {
            return .failure(error)
        }
    }

    /// Has the threads of some lanes held, once each has let go of what it reads; before the reads that wait.
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
