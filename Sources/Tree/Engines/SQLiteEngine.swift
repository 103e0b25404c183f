import GRDB
import Glibc

/// The embedded engine: one table in an SQLite file, in WAL mode, with an fsync for each transaction.
///
/// One connection writes, and it alone makes checkpoints. SQLite before 3.51.3 (Debian 12 has 3.40.1) can corrupt a
/// database when a checkpoint of one connection and a write of another reset the log at the same moment
/// (sqlite.org/wal.html#walresetbug). Readers are read-only connections, which can neither write nor checkpoint; only
/// one process may have the file open, which is for the caller to see to.
///
/// Reads and writes run on queues of their own, never on Swift's cooperative threads.
public final class SQLiteEngine: Engine {
    /// Checkpoint when the log has so many pages of 4 KiB.
    private static let checkpointPages = 4000
    private static let cacheKibibytes = 32 << 10
    private static let busyTimeoutSeconds = 5.0

    private let pool: DatabasePool

    /// Opens the database at a path, or makes it, readable for its owner alone.
    ///
    /// Blocks its thread while SQLite opens the file and recovers its log: open engines at start-up.
    ///
    /// - Throws: ``TreeError`` with codes such as `cannot_open`, `read_only`, `corrupt` and `busy`.
    public init(path: String) throws(TreeError) {
        try Self.createFile(path)
        do {
            pool = try DatabasePool(path: path, configuration: Self.configuration)
            try pool.writeWithoutTransaction { database in
                // The pool has just set NORMAL, which may lose the last transactions when power fails.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try database.execute(sql: "PRAGMA wal_autocheckpoint = \(Self.checkpointPages)")
                // After a burst, or a long read, the log file shrinks to its usual length again.
                try database.execute(sql: "PRAGMA journal_size_limit = \(Self.checkpointPages * 4096)")
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID
                        """)
            }
        } catch {
            throw TreeError(sqlite: error)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "Tree"
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
        }
        return configuration
    }

    /// SQLite gives its log the mode of the database file, so the file is made before SQLite does it.
    private static func createFile(_ path: String) throws(TreeError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw TreeError(.cannotOpen, "\(path): \(reason)", hint: "check the folder and its permissions")
        }
        _ = Glibc.close(descriptor)
    }

    /// Reads one state of the database, on a connection for reading.
    public func read<Result: Sendable>(
        _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        do {
            return try await pool.read { database in try body(SQLiteRows(database)) }
        } catch {
            throw TreeError(sqlite: error)
        }
    }

    /// Runs a transaction on the writing connection; it is on disk when this returns.
    ///
    /// After a failure, also that of the commit itself, the transaction is rolled back and counts as not done.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        // Not the pool's async method, which a cancelled caller would interrupt in the middle.
        let outcome = await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                continuation.resume(returning: Self.transact(on: database, body))
            }
        }
        return try outcome.get()
    }

    private static func transact<Success>(
        on database: Database, _ body: (any EngineTransaction) throws(TreeError) -> Success
    ) -> Result<Success, TreeError> {
        do {
            var result: Success?
            try database.inTransaction(.immediate) {
                result = try body(SQLiteRows(database))
                return .commit
            }
            guard let result else { throw TreeError(.engine, "the transaction ended without a result") }
            return .success(result)
        } catch {
            return .failure(TreeError(sqlite: error))
        }
    }

    /// Moves the log into the database and closes it.
    ///
    /// Readers go first: the last connection to close makes the final checkpoint, and that must be the writing one.
    public func close() async {
        await withCheckedContinuation { continuation in
            pool.asyncBarrierWriteWithoutTransaction { [pool] database in
                pool.invalidateReadOnlyConnections()
                // What fails here stays in the log, and is recovered from it when the database is opened again.
                _ = try? database.get().checkpoint(.truncate)
                continuation.resume()
            }
        }
        try? pool.close()
    }
}
