import CSystemSQLite
import Failpoints

/// Writes on one connection, and moves what was written from the log into the database now and then.
///
/// It belongs to the connection's thread.
final class SQLiteWriter {
    /// How many pages of 4 KiB the log grows by between two checkpoints.
    private static let checkpointPages: Int32 = 4000

    let rows: SQLiteRows
    /// How many pages the log has; SQLite tells it with each commit.
    private let logPages: UnsafeMutablePointer<Int32>
    /// How many it had at the last checkpoint.
    private var pagesAtCheckpoint: Int32 = 0

    /// Opens the database for writing, or makes it.
    init(path: String) throws(TreeError) {
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = FULL")
        // After a burst, or a long read, the log file shrinks again; to more than its usual length, which is kept so
        // that commits write over what is there instead of making the file longer.
        try connection.execute("PRAGMA journal_size_limit = \(2 * Self.checkpointPages * 4096)")
        try connection.execute(SQLiteRows.createTable)
        rows = try SQLiteRows(connection)
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        // Takes the place of the automatic checkpoint, which would be part of a commit.
        sqlite3_wal_hook(
            connection.handle,
            { logPages, _, _, count in
                logPages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, logPages)
    }

    deinit {
        sqlite3_wal_hook(rows.connection.handle, nil, nil)
        logPages.deallocate()
    }

    /// Moves the log into the database if it has grown by enough since the last time.
    ///
    /// The log begins anew with the first commit that finds all of it moved and nobody reading from it. What fails here
    /// stays in the log, for the next time.
    func checkpointIfDue() {
        // It has begun anew.
        if logPages.pointee < pagesAtCheckpoint { pagesAtCheckpoint = 0 }
        guard logPages.pointee - pagesAtCheckpoint >= Self.checkpointPages else { return }
        pagesAtCheckpoint = logPages.pointee
        try? Failpoint.checkpoint.around {
            sqlite3_wal_checkpoint_v2(rows.connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
    }

    /// Moves all of the log into the database and empties its file, if nobody reads.
    func checkpointForClosing() {
        // What fails here is recovered from the log when the database is opened again.
        sqlite3_wal_checkpoint_v2(rows.connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
}
