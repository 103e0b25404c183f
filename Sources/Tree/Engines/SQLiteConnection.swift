import CSystemSQLite

/// A connection to an SQLite database, used by one thread at a time.
final class SQLiteConnection {
    enum Mode {
        case readWrite
        /// Neither writes nor checkpoints are possible.
        case readOnly
    }

    private static let busyTimeoutMilliseconds: Int32 = 5000
    /// The size of a reader's cache, in KiB. It easily holds frequently read data, mainly the upper levels of the
    /// table; the system caches the rest once for all connections.
    private static let readingCacheKibibytes = 8 << 10
    private static let writingCacheKibibytes = 32 << 10

    let handle: OpaquePointer

    /// Opens a database file.
    ///
    /// - Throws: ``TreeError`` with codes such as `cannot_open`.
    init(path: String, mode: Mode) throws(TreeError) {
        let access = mode == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var opened: OpaquePointer?
        // Each connection belongs to one thread, so that SQLite needs no locks for it.
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, nil)
        guard let opened else { throw TreeError(.outOfMemory, "there is not enough memory to open \(path)") }
        guard code == SQLITE_OK else {
            defer { sqlite3_close_v2(opened) }
            throw TreeError(connection: opened)
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds)
        let cache = mode == .readOnly ? Self.readingCacheKibibytes : Self.writingCacheKibibytes
        try execute("PRAGMA cache_size = -\(cache)")
        // Detects a page with oversized rows when it is read, not only when it is written back.
        try execute("PRAGMA cell_size_check = ON")
    }

    // Statements keep the connection open until the last of them is released.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements whose results are ignored.
    func execute(_ sql: String) throws(TreeError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw TreeError(connection: handle) }
    }

    /// Returns the number that a pragma reports.
    func number(_ pragma: String) throws(TreeError) -> Int64 {
        var number: Int64 = 0
        try SQLiteStatement("PRAGMA \(pragma)", on: self).run { row throws(TreeError) in
            number = row.integer(at: 0) ?? 0
            return false
        }
        return number
    }

    /// Moves the contents of the log into the database, except for parts that are still being read.
    func checkpoint(_ mode: Int32) throws(TreeError) {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        guard code == SQLITE_OK else { throw TreeError(connection: handle) }
    }

    /// Makes closing leave the log unchanged for the next opening, even if this is the last connection.
    func keepLogOnClose() {
        _ = csystem_sqlite_keep_log_on_close(handle)
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}
