import Synchronization

extension TreeStore {
    /// Reads data, decides on an update and writes it, so that the data read is still valid when the update is
    /// committed.
    ///
    ///     let (number, _) = try await store.transact { snapshot, update in
    ///         let number = try snapshot.get("counter")?.integerValue ?? 0
    ///         update["counter"] = .integer(number + 1)
    ///         return number
    ///     }
    ///
    /// The body reads one state of the tree and describes the update, as if no other writes happened meanwhile. When
    /// the update is committed, the store checks that everything the body has read, each value and each page, is
    /// unchanged. If something has changed, the body runs again within the transaction, where nothing changes. There is
    /// therefore at most one retry, however many callers contend. Only an engine that other hosts write to may have to
    /// begin a transaction again, and then the body runs again. A first run that reads much may be interrupted and
    /// started again.
    ///
    /// The body may run several times, on any thread. Its side effects must be harmless if they are repeated or unused.
    /// It should take well under a millisecond and read little, because all writers wait while it runs in the
    /// transaction. It must not block or call the store.
    ///
    /// Cancelling the task stops a body that is reading. An update that is about to be committed is not cancelled.
    ///
    /// - Parameter body: Reads from the snapshot, which is valid only within the call, and writes into an update, which
    ///   is empty at the start of each run. An update that stays empty commits nothing.
    /// - Returns: The result of the body's last run, and the position in the change log just after the update, or that
    ///   of the state that was read if there was nothing to write.
    /// - Throws: The body's error; nothing is written then. ``TreeError`` as ``update(_:)`` throws it, with code
    ///   `precondition_failed` if a precondition that the body added does not hold.
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

/// The body of a transaction, and the result of its last run.
private final class Decision<Success: Sendable>: Sendable {
    typealias Body = @Sendable (TreeSnapshot, inout MultiPathUpdate) throws -> Success

    private let body: Body
    private let last = Mutex<Result<Success, any Error>>(.failure(TreeError.closed))

    init(_ body: @escaping Body) { self.body = body }

    /// Runs the body.
    ///
    /// - Returns: The update; nil if the body failed or described an invalid update.
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

    /// The result of the last run: the body's return value or error.
    var outcome: Result<Success, any Error> { last.withLock { $0 } }
}
