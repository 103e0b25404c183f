import Synchronization

/// A read that waits for or runs on a reading thread, with its cancellation state.
///
/// The body belongs to the caller, who continues as soon as the result is available; the reference to the body is
/// released before that.
final class PendingRead<Success: Sendable>: Sendable {
    typealias Body = @Sendable (any EngineSnapshot) throws(TreeError) -> Success

    private let body: Mutex<Body?>
    private let isCancelled = Atomic(false)

    init(_ body: @escaping Body) { self.body = Mutex(body) }

    /// Makes the read fail with `cancelled`, at the latest at the next row of a scan.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Reads on a reading thread, as long as the read stays small.
    ///
    /// - Returns: The result; nil if the read was too large or met damage, and must be repeated.
    func tryQuickly(
        on reader: SQLiteReader, after commitCount: borrowing Atomic<UInt64>
    ) -> Result<Success, TreeError>? {
        guard let body = body.withLock({ $0 }) else { return .failure(.closed) }
        let allowance = ReadAllowance.ofSmallRead()
        let result = Result { () throws(TreeError) in
            try reader.read(after: commitCount) { rows throws(TreeError) in
                try body(CancellableSnapshot(base: rows, allowance: allowance, check: check))
            }
        }
        if allowance.isExceeded { return nil }
        if case .failure(let error) = result, error.isDamage { return nil }
        self.body.withLock { $0 = nil }
        return result
    }

    /// Reads on a reading thread; fails with `closed` if there is none.
    func run(on reader: SQLiteReader?, after commitCount: borrowing Atomic<UInt64>) -> Result<Success, TreeError> {
        let body = body.withLock { $0.take() }
        guard let body, let reader else { return .failure(.closed) }
        return Result { () throws(TreeError) in
            try reader.readAgainUponDamage(after: commitCount) { rows throws(TreeError) in
                try body(CancellableSnapshot(base: rows, allowance: nil, check: check))
            }
        }
    }

    private func check() throws(TreeError) {
        guard !isCancelled.load(ordering: .relaxed) else {
            throw TreeError(.cancelled, "the reading task was cancelled")
        }
    }
}
