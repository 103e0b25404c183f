import CSystemSQLite
import Failpoints

/// Writes on one connection, and regularly moves the log into the database.
///
/// It must be used only on the connection's thread. ``settle()`` and ``renew()`` describe the effects of a failing disk
/// on the log and the database, and how they are handled.
final class SQLiteWriter {
    /// The number of pages of 4 KiB by which the log grows between two checkpoints.
    private static let checkpointPages: Int32 = 4000

    /// The default number of pages from which on the log is restarted.
    static let restartPages = checkpointPages * 3 / 2

    /// The number of free pages that the database may always have; new writes use them.
    static let maxFreePages: Int64 = 4096
    /// The number of free pages that are returned in one transaction, so that it takes only some milliseconds.
    private static let returnedPages = 256

    private let path: String
    private let restartPages: Int32
    private let maxFreePages: Int64
    /// The number of pages at which the log is restarted next.
    private var restartsAt: Int32
    private var opened: SQLiteRows?
    /// The number of pages in the log, as SQLite reports it after each commit.
    private let logPages: UnsafeMutablePointer<Int32>
    /// The number of pages in the log at the last checkpoint.
    private var pagesAtCheckpoint: Int32 = 0
    /// Whether the log may contain a failed commit.
    private var isUnsettled = false
    /// The error of the last attempt to move the log into the database; nil if it succeeded.
    private(set) var fault: TreeError?
    /// Whether free pages should be returned to the file system.
    private(set) var isReturnDue = false

    /// Opens the database for writing, or creates it.
    init(
        path: String, restartPages: Int32 = restartPages, maxFreePages: Int64 = maxFreePages
    ) throws(TreeError) {
        self.path = path
        self.restartPages = restartPages
        self.maxFreePages = maxFreePages
        restartsAt = restartPages
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        _ = try rows()
    }

    deinit {
        close()
        logPages.deallocate()
    }

    /// Returns the rows; reopens the database if it is closed.
    func rows() throws(TreeError) -> SQLiteRows {
        if let opened { return opened }
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        // Returning pages (``returnFreePages()``) can be enabled only while a database has no tables.
        if try connection.number("page_count") == 0 { try connection.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = FULL")
        // After a burst or a long read, the log file shrinks again. The limit is above its usual length, so that
        // commits overwrite existing space instead of extending the file.
        try connection.execute("PRAGMA journal_size_limit = \(2 * Self.checkpointPages * 4096)")
        try SQLiteTable.make(on: connection)
        let rows = try SQLiteRows(connection)
        // Replaces the automatic checkpoint, which would run within a commit.
        sqlite3_wal_hook(
            connection.handle,
            { logPages, _, _, count in
                logPages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, logPages)
        opened = rows
        return rows
    }

    private func close() {
        guard let connection = opened?.connection else { return }
        sqlite3_wal_hook(connection.handle, nil, nil)
        // Closing would make a checkpoint that continues the failed one.
        if fault != nil { connection.keepLogOnClose() }
        opened = nil
    }

    // MARK: Writing

    /// Runs a body in a transaction. It is durable when this returns; if this throws, nothing is written, even later.
    func write<Result>(
        _ body: (any EngineTransaction) throws(TreeError) -> Result
    ) throws(TreeError) -> Result {
        // Nothing may be based on pages that the disk may have lost.
        if let fault, fault.code == .io { throw fault }
        try settle()
        do {
            return try rows().write(body) { isUnsettled = true }
        } catch {
            // Finish at once, because the caller relies on the failure. If the disk does not allow it, this is repeated
            // before the next transaction.
            do { try settle() } catch _ { throw error.withOpenOutcome }
            throw error
        }
    }

    /// Ensures that a failed commit stays undone.
    ///
    /// If the fsync of the log fails, SQLite undoes the transaction. But its pages are in the log, complete, and a
    /// process that opens the database after a crash would treat them as committed. The next commit starts at the same
    /// position of the log and overwrites them; this function therefore makes a commit without data. The fsync is not
    /// repeated for the earlier write: everything that it applies to is written again.
    private func settle() throws(TreeError) {
        guard isUnsettled else { return }
        try commitNothing()
    }

    /// Makes a commit without data. It shows that commits are possible, and overwrites failed ones.
    func commitNothing() throws(TreeError) {
        isUnsettled = true
        try rows().connection.execute("PRAGMA user_version = \(Int32.random(in: 1...Int32.max))")
        isUnsettled = false
    }

    // MARK: Checkpoints

    /// Moves the log into the database if it has grown enough since the last checkpoint.
    ///
    /// The log restarts with the first commit that finds all of it moved and no readers. After a failure, the contents
    /// stay in the log until ``renew()``.
    func checkpointIfDue() {
        // The log has been restarted.
        if logPages.pointee < pagesAtCheckpoint { (pagesAtCheckpoint, restartsAt) = (0, restartPages) }
        guard fault == nil, logPages.pointee - pagesAtCheckpoint >= Self.checkpointPages else { return }
        try? checkpoint()
    }

    /// The length of the log, in bytes.
    var logBytes: Int { Int(logPages.pointee) * 4096 }

    /// Whether the log is so long that readers should be blocked for a moment, to restart it.
    var isRestartDue: Bool { fault == nil && logPages.pointee >= restartsAt }

    /// Postpones the restart until the log has grown by an eighth of its limit, or by less if it is already long
    /// because of a long read.
    func postponeRestart() {
        restartsAt = logPages.pointee + restartPages / (logPages.pointee < restartPages * 2 ? 8 : 32)
    }

    /// Moves the log into the database, except for parts that are being read.
    func checkpointNow() {
        guard fault == nil else { return }
        try? checkpoint()
    }

    /// Moves all of the log into the database, so that the next commit begins at its start. There must be no readers
    /// meanwhile.
    func restartLog() {
        guard fault == nil, (try? checkpoint(SQLITE_CHECKPOINT_RESTART)) != nil else { return postponeRestart() }
        (logPages.pointee, pagesAtCheckpoint, restartsAt) = (0, 0, restartPages)
    }

    private func checkpoint(_ mode: Int32 = SQLITE_CHECKPOINT_PASSIVE) throws(TreeError) {
        pagesAtCheckpoint = logPages.pointee
        do {
            try Failpoint.checkpoint.around { () throws(TreeError) in
                try rows().connection.checkpoint(mode)
            }
            fault = nil
            isReturnDue = (try? hasFreePages(beyond: maxFreePages, orOneIn: 8)) ?? false
        } catch {
            if error.code != .busy { fault = error }
            throw error
        }
    }

    // MARK: Free pages

    /// Returns some free pages to the file system. Pages behind them are moved into their place, and the next
    /// checkpoint shortens the file.
    ///
    /// - Returns: Whether more pages should be returned. Half of the allowed free pages are kept, because the file
    ///   would soon grow again. A failure is retried after a checkpoint.
    func returnFreePages() -> Bool {
        isReturnDue = false
        guard fault == nil else { return false }
        do {
            try settle()
            isUnsettled = true
            try rows().connection.execute("PRAGMA incremental_vacuum(\(Self.returnedPages))")
            isUnsettled = false
            isReturnDue = try hasFreePages(beyond: maxFreePages / 2, orOneIn: 16)
        } catch {
            return false
        }
        return isReturnDue
    }

    /// Whether the database can return pages, and the number of free pages exceeds both a count and a fraction
    /// of all pages.
    private func hasFreePages(beyond count: Int64, orOneIn part: Int64) throws(TreeError) -> Bool {
        let connection = try rows().connection
        guard try connection.number("auto_vacuum") == 2 else { return false }
        return try connection.number("freelist_count") > max(count, try connection.number("page_count") / part)
    }

    /// Moves the log into the database after this has failed. No other connection may be open.
    ///
    /// If an fsync of the database has failed, the system may have dropped the written data, and the next fsync would
    /// not report it (Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). The failed
    /// fsync may also have been meant to cover pages that an earlier checkpoint had moved, and SQLite would not move
    /// those again. The database is therefore closed without deleting its log. Opening it reads the log from its
    /// beginning, and all of it is moved again. Nothing is written until then.
    func renew() throws(TreeError) {
        if fault?.code == .io { close() }
        try checkpoint()
    }

    /// Moves all of the log into the database and truncates it, if there are no readers.
    func checkpointForClosing() {
        // After a failure, the data is recovered from the log when the database is opened again.
        guard fault == nil else { return }
        do {
            try Failpoint.checkpoint.around { () throws(TreeError) in
                try opened?.connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
            }
        } catch {
            fault = error
        }
    }
}
