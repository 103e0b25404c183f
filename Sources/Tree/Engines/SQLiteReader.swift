import Synchronization

/// Reads on one connection, in transactions that are kept for the next read while nothing is committed.
///
/// It belongs to the connection's thread.
final class SQLiteReader {
    private let rows: SQLiteRows
    /// How many transactions had been committed when the one that is open began.
    private var beganAfter: UInt64?

    init(_ rows: SQLiteRows) { self.rows = rows }

    func read<Success>(
        after commitCount: borrowing Atomic<UInt64>, _ body: (any EngineSnapshot) throws(TreeError) -> Success
    ) -> Result<Success, TreeError> {
        // Counted before the transaction begins, so that it can only be newer than the count says.
        let count = commitCount.load(ordering: .acquiring)
        do {
            if beganAfter != count {
                endTransaction()
                try rows.beginReading()
                beganAfter = count
            }
            return .success(try body(rows))
        } catch {
            endTransaction()
            return .failure(error)
        }
    }

    /// Lets go of the state that was read, so that the log can be moved into the database.
    func endTransaction() {
        rows.end()
        beganAfter = nil
    }
}

/// A read that waits for a thread.
///
/// Its body belongs to the caller, who goes on as soon as it has the answer: it is let go of before.
final class PendingRead<Success: Sendable>: Sendable {
    typealias Body = @Sendable (any EngineSnapshot) throws(TreeError) -> Success

    private let body: Mutex<Body?>

    init(_ body: @escaping Body) { self.body = Mutex(body) }

    func run(on reader: SQLiteReader, after commitCount: borrowing Atomic<UInt64>) -> Result<Success, TreeError> {
        guard let body = take() else { return .failure(.closed) }
        return reader.read(after: commitCount, body)
    }

    func drop() { _ = take() }

    private func take() -> Body? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}
