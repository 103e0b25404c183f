import Synchronization

/// Reads on one connection. A transaction is reused for the next read until something is committed.
///
/// It must be used only on the connection's thread.
final class SQLiteReader {
    private let path: String
    private var opened: SQLiteRows?
    /// The number of committed transactions when the open transaction began.
    private var beganAfter: UInt64?

    /// Opens an existing database for reading.
    init(path: String) throws(TreeError) {
        self.path = path
        _ = try rows()
    }

    private func rows() throws(TreeError) -> SQLiteRows {
        if let opened { return opened }
        let rows = try SQLiteRows(try SQLiteConnection(path: path, mode: .readOnly))
        opened = rows
        return rows
    }

    /// Closes the connection; the next read opens a new one.
    func close() {
        endTransaction()
        opened = nil
    }

    func read<Success>(
        after commitCount: borrowing Atomic<UInt64>, _ body: (SQLiteRows) throws(TreeError) -> Success
    ) throws(TreeError) -> Success {
        // The count is read before the transaction begins, so that the state is at least as new as the count.
        let count = commitCount.load(ordering: .acquiring)
        let rows = try rows()
        do {
            if beganAfter != count {
                endTransaction()
                try rows.beginReading()
                beganAfter = count
            }
            return try body(rows)
        } catch {
            // The connection's page cache may be the damaged part.
            if error.isDamage { close() } else { endTransaction() }
            throw error
        }
    }

    /// Reads, and repeats the read on a new connection if it meets damage: a single failed read does not prove damage.
    ///
    /// - Parameter body: Called again after damage, possibly with another state.
    func readAgainUponDamage<Success>(
        after commitCount: borrowing Atomic<UInt64>, _ body: (SQLiteRows) throws(TreeError) -> Success
    ) throws(TreeError) -> Success {
        do {
            return try read(after: commitCount, body)
        } catch {
            guard error.isDamage else { throw error }
            return try read(after: commitCount, body)
        }
    }

    /// Releases the current state, so that the log can be restarted.
    func endTransaction() {
        opened?.end()
        beganAfter = nil
    }
}
