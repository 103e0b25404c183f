import Synchronization

/// Reads on one connection, in transactions that are kept for the next read while nothing is committed.
///
/// It belongs to the connection's thread.
final class SQLiteReader {
    private let path: String
    private var opened: SQLiteRows?
    /// The number of transactions that had been committed when the open one began.
    private var beganAfter: UInt64?

    /// Opens the database for reading; it has to be there.
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

    /// Closes the connection; the next read opens another.
    func close() {
        endTransaction()
        opened = nil
    }

    func read<Success>(
        after commitCount: borrowing Atomic<UInt64>, _ body: (SQLiteRows) throws(TreeError) -> Success
    ) throws(TreeError) -> Success {
        // Counted before the transaction begins, so that its state can only be newer than the count says.
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
            // What the connection keeps of the pages may be what is wrong.
            if error.isDamage { close() } else { endTransaction() }
            throw error
        }
    }

    /// Reads, and upon damage once more, on a new connection: what a disk has failed to give once is not damaged.
    ///
    /// - Parameter body: Is called a second time upon damage, with another state perhaps.
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

    /// Lets go of the state that was read, so that the log can begin anew.
    func endTransaction() {
        opened?.end()
        beganAfter = nil
    }
}
