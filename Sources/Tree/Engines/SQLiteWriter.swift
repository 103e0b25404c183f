import CSystemSQLite
import Failpoints

/// Writes on one connection, and moves what was written from the log into the database now and then.
///
/// It belongs to the connection's thread. What a failing disk may do to the log and the database, and what is done
/// about it, is told at ``settle()`` and ``renew()``.
final class SQLiteWriter {
    /// The number of pages of 4 KiB by which the log grows between two checkpoints.
    private static let checkpointPages: Int32 = 4000

    /// The number of pages from which on the log is to begin anew, by default half as many more.
    static let restartPages = checkpointPages * 3 / 2

    /// The number of free pages that the database may have in any case: what is written next takes them.
    static let maxFreePages: Int64 = 4096
    /// The number of free pages that are returned in one transaction, so that it takes some milliseconds.
    private static let returnedPages = 256

    private let path: String
    private let restartPages: Int32
    private let maxFreePages: Int64
    /// The number of pages from which on the log is to begin anew next.
    private var restartsAt: Int32
    private var opened: SQLiteRows?
    /// The number of pages that the log has, as SQLite reports with each commit.
    private let logPages: UnsafeMutablePointer<Int32>
    /// The number of pages that the log had at the last checkpoint.
    private var pagesAtCheckpoint: Int32 = 0
    /// Whether the log may hold a commit that failed.
    private var isUnsettled = false
    /// The error of the last try to move the log into the database; nil when it succeeded.
    private(set) var fault: TreeError?
    /// Whether free pages are to be returned to the file system.
    private(set) var isReturnDue = false

    /// Opens the database for writing, or makes it.
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

    /// The rows; the database is opened anew if need be.
    func rows() throws(TreeError) -> SQLiteRows {
        if let opened { return opened }
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        // Only a database without tables can be made so that it returns pages (``returnFreePages()``).
        if try connection.number("page_count") == 0 { try connection.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = FULL")
        // After a burst, or a long read, the log file shrinks again; to more than its usual length, which is kept so
        // that commits write over what is there instead of making the file longer.
        try connection.execute("PRAGMA journal_size_limit = \(2 * Self.checkpointPages * 4096)")
        try SQLiteTable.make(on: connection)
        let rows = try SQLiteRows(connection)
        // Replaces the automatic checkpoint, which would be part of a commit.
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
        // Closing would make a checkpoint that takes up where the one that failed left off.
        if fault != nil { connection.keepLogOnClose() }
        opened = nil
    }

    // MARK: Writing

    /// Runs a body in a transaction; when it returns, all is on disk, when it throws, nothing is, nor will be.
    func write<Result>(
        _ body: (any EngineTransaction) throws(TreeError) -> Result
    ) throws(TreeError) -> Result {
        // Not upon pages that the disk may have lost.
        if let fault, fault.code == .io { throw fault }
        try settle()
        do {
            return try rows().write(body) { isUnsettled = true }
        } catch {
            // At once, for whoever hears of the failure believes it. If the disk does not allow it, before the next
            // one.
            do { try settle() } catch _ { throw error.withOpenOutcome }
            throw error
        }
    }

    /// Sees to it that a commit that failed stays so.
    ///
    /// When the fsync of the log fails, SQLite undoes the transaction; but its pages lie in the log, complete, and a
    /// process that opens the database after a crash would take them for committed. The next commit begins at the same
    /// start of the log and overwrites them; hence this one, which says nothing. The fsync is not tried again for what
    /// was written before: all that it counts for is written anew.
    private func settle() throws(TreeError) {
        guard isUnsettled else { return }
        try commitNothing()
    }

    /// Shows that a commit is possible, and settles those that were not.
    func commitNothing() throws(TreeError) {
        isUnsettled = true
        try rows().connection.execute("PRAGMA user_version = \(Int32.random(in: 1...Int32.max))")
        isUnsettled = false
    }

    // MARK: Checkpoints

    /// Moves the log into the database if it has grown by enough since the last time.
    ///
    /// The log begins anew with the first commit that finds all of it moved and nobody reading from it. What fails here
    /// stays in the log until ``renew()``.
    func checkpointIfDue() {
        // It has begun anew.
        if logPages.pointee < pagesAtCheckpoint { (pagesAtCheckpoint, restartsAt) = (0, restartPages) }
        guard fault == nil, logPages.pointee - pagesAtCheckpoint >= Self.checkpointPages else { return }
        try? checkpoint()
    }

    /// The length of the log, in bytes.
    var logBytes: Int { Int(logPages.pointee) * 4096 }

    /// Whether the log has become so long that readers are to be held for a moment, so that it can begin anew.
    var isRestartDue: Bool { fault == nil && logPages.pointee >= restartsAt }

    /// Lets the log grow by an eighth before it is to begin anew, and by less where it is long: somebody reads from it for long.
    func postponeRestart() {
        restartsAt = logPages.pointee + restartPages / (logPages.pointee < restartPages * 2 ? 8 : 32)
    }

    /// Moves what nobody reads from the log into the database.
    func checkpointNow() {
        guard fault == nil else { return }
        try? checkpoint()
    }

    /// Moves all of the log into the database, so that the next commit begins at its start. Nobody may read meanwhile.
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

    /// Returns some free pages to the file system: those behind them take their places, and the next checkpoint makes the file
    /// shorter.
    ///
    /// - Returns: Whether more are to be returned. Half of what may be free stays, or the file would soon grow again. What fails
    ///   is tried again after a checkpoint.
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

    /// Whether the database can return pages, and more are free than a number of them and a part of all.
    private func hasFreePages(beyond count: Int64, orOneIn part: Int64) throws(TreeError) -> Bool {
        let connection = try rows().connection
        guard try connection.number("auto_vacuum") == 2 else { return false }
        return try connection.number("freelist_count") > max(count, try connection.number("page_count") / part)
    }

    /// Moves the log into the database after this has failed. No other connection may be open.
    ///
    /// Where it was an fsync of the database that failed, the system may have dropped what was written, and the next
    /// fsync would not tell (Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). An
    /// earlier checkpoint may have moved pages, too, for which that fsync was to count, and SQLite would not move those
    /// again. So the database is closed, with its log; opening it reads the log from its beginning, and all of it is
    /// moved once more. Until then nothing is written.
    func renew() throws(TreeError) {
        if fault?.code == .io { close() }
        try checkpoint()
    }

    /// Moves all of the log into the database and empties its file, if nobody reads.
    func checkpointForClosing() {
        // What fails here is recovered from the log when the database is opened again.
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
