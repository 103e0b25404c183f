import Synchronization

extension TreeStore {
    /// Reads, decides and writes, so that what was read still holds when it is written.
    ///
    ///     let (number, _) = try await store.transact { snapshot, update in
    ///         let number = try snapshot.get("counter")?.integerValue ?? 0
    ///         update["counter"] = .integer(number + 1)
    ///         return number
    ///     }
    ///
    /// The body reads one state of the tree and describes the update, as if nobody else wrote meanwhile. When the
    /// update is committed, the store checks that all that the body has read, value by value and page by page, is still
    /// as it was. If something is not, the body runs once more, in the transaction itself, where nothing changes. So
    /// there is one retry at most, however many callers contend; only an engine that other hosts write to may have to
    /// begin a transaction again, and the body with it. A first run that reads much may be broken off and begun anew.
    ///
    /// The body may therefore run several times, on any thread, and what it does beside reading and describing must be
    /// harmless if it is done again or for nothing. It should take well under a millisecond and read little, as all
    /// writers wait when it runs in the transaction; it must not block, nor call the store.
    ///
    /// Cancelling the task stops a body that reads, unless its update is about to be committed: that is not taken back.
    ///
    /// - Parameter body: Reads from the snapshot, which is valid only within the call, and writes into an update, which
    ///   is empty at the beginning of each run. An update that is left empty commits nothing.
    /// - Returns: What the body returned in the run that counts, and the position in the change log just after the
    ///   update, or that of the state that was read when there was nothing to write.
    /// - Throws: What the body throws; nothing is written then. ``TreeError`` as ``update(_:)`` throws it, with code
    ///   `precondition_failed` when a precondition that the body gave the update does not hold.
    @discardableResult
    public func transact<Result: Sendable>(
        _ body: @escaping @Sendable (TreeSnapshot, inout MultiPathUpdate) throws -> Result
    ) async throws -> (result: Result, token: SyncToken) {
        let decision = Decision(body)
        let (decided, token) = try await read { snapshot throws(TreeError) in
            let recorder = RecordingSnapshot(snapshot.engine)
            let token = try snapshot.token
            let update = decision.run(on: snapshot.reading(from: recorder))
            _ = try decision.outcome.throwingDamage()
            return (update.map { ($0, recorder.readSet(at: token)) }, token)
        }
        guard case (var update, let reads)? = decided, !update.writes.isEmpty || !update.preconditions.isEmpty else {
            return (try unwrap(decision.outcome), token)
        }
        update.basis = EncodedUpdate.Basis(reads: reads) { decision.run(on: $0) }
        let receipt = try await largeWrites.commit(update)
        return (try unwrap(decision.outcome), receipt.token)
    }
}

/// The body of a transaction, and what came of its last run.
private final class Decision<Success: Sendable>: Sendable {
    typealias Body = @Sendable (TreeSnapshot, inout MultiPathUpdate) throws -> Success

    private let body: Body
    private let last = Mutex<Result<Success, any Error>>(.failure(TreeError.closed))

    init(_ body: @escaping Body) { self.body = body }

    /// Runs the body.
    ///
    /// - Returns: The update; nil when the body failed, or described an update that is none.
    func run(on snapshot: TreeSnapshot) -> EncodedUpdate? {
        do {
            var update = MultiPathUpdate()
            let success = try body(snapshot, &update)
            let encoded = try EncodedUpdate(update)
            last.withLock { $0 = .success(success) }
            return encoded
        } catch {
            last.withLock { $0 = .failure(error) }
            return nil
        }
    }

    /// The result of the last run: what the body returned, or what it threw.
    var outcome: Result<Success, any Error> { last.withLock { $0 } }
}
