import Glibc
import Synchronization

/// The embedded engine: one table in an SQLite file, in WAL mode, with an fsync for each transaction.
///
/// One connection writes, and it alone makes checkpoints. SQLite before 3.51.3 (Debian 12 has 3.40.1) can corrupt a
/// database when a checkpoint of one connection and a write of another reset the log at the same moment
/// (sqlite.org/wal.html#walresetbug). Readers are read-only connections, which can neither write nor checkpoint; only
/// one process may have the file open, which is for the caller to see to.
///
/// Each connection has a thread of its own: nothing here blocks Swift's cooperative threads.
public final class SQLiteEngine: Engine {
    /// The number of threads in each of the two lanes.
    static let readerCount = 2

    let writer: WorkerThreads<SQLiteWriter>
    /// The lane in which each read begins. One that takes more than a little is broken off, and begins anew in the
    /// other lane, so that small ones wait for none that is large. In each lane clients take turns.
    let quickReaders: WorkerThreads<SQLiteReader>
    let longReaders: WorkerThreads<SQLiteReader>
    /// The number of transactions that have ended, by which readers know whether their state is still the last one.
    private let commitCount = Atomic<UInt64>(0)
    private let lastFault = Mutex<TreeError?>(nil)
    private let logSize = Atomic(0)
    let upkeep = Mutex(Upkeep())
    /// The length from which on a log that is to begin anew makes each transaction wait, in bytes.
    let maxLogBytes: Int
    /// A twentieth of the longest such wait.
    let pause: @Sendable () async -> Void

    /// Opens the database at a path, or makes it, readable for its owner alone.
    ///
    /// Blocks its thread while SQLite opens the file and recovers its log: open engines at start-up.
    ///
    /// - Throws: ``TreeError`` with codes such as `cannot_open`, `read_only`, `corrupt` and `busy`.
    public convenience init(path: String) throws(TreeError) {
        try self.init(path: path, restartPages: SQLiteWriter.restartPages)
    }

    /// - Parameters:
    ///   - restartPages: The number of pages from which on the log is to begin anew; from twice as many on, transactions
    ///     wait for it.
    ///   - maxFreePages: The number of pages that may be free.
    ///   - pause: A twentieth of the longest time for which a transaction waits.
    init(
        path: String, restartPages: Int32, maxFreePages: Int64 = SQLiteWriter.maxFreePages,
        pause: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .milliseconds(10)) }
    ) throws(TreeError) {
        maxLogBytes = 2 * Int(restartPages) * 4096
        self.pause = pause
        try Self.createFile(path)
        writer = try WorkerThreads(count: 1) { () throws(TreeError) in
            try SQLiteWriter(path: path, restartPages: restartPages, maxFreePages: maxFreePages)
        }
        do {
            quickReaders = try Self.readers(of: path)
        } catch {
            writer.stop()
            throw error
        }
        do {
            longReaders = try Self.readers(of: path)
        } catch {
            quickReaders.stop()
            writer.stop()
            throw error
        }
    }

    private static func readers(of path: String) throws(TreeError) -> WorkerThreads<SQLiteReader> {
        try WorkerThreads(count: readerCount, whenIdle: { $0.endTransaction() }) { () throws(TreeError) in
            try SQLiteReader(path: path)
        }
    }

    deinit {
        quickReaders.stop()
        longReaders.stop()
        writer.stop()
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

    /// Reads one state of the database, on a thread for reading. Where reads wait, clients take turns (``ReadingClient``).
    ///
    /// Of a read whose size is not known the body is called a second time, with another state perhaps, when it reads more than
    /// a little. So is that of any read that meets damage: a disk that failed once has not damaged what is on it.
    public func read<Result: Sendable>(
        _ size: ReadSize, _ body: @Sendable (any EngineSnapshot) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        let outcome = await withoutActuallyEscaping(body) { body in
            let pending = PendingRead(body)
            let client = ReadingClient.current?.name
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    guard size == .unknown else { return readAtLength(pending, of: client, continuation) }
                    let isTaken = quickReaders.submit(of: client) { reader in
                        guard let outcome = pending.tryQuickly(on: reader, after: self.commitCount) else {
                            return self.readAtLength(pending, of: client, continuation)
                        }
                        continuation.resume(returning: outcome)
                    }
                    if !isTaken { continuation.resume(returning: pending.run(on: nil, after: commitCount)) }
                }
            } onCancel: {
                pending.cancel()
            }
        }
        return try outcome.get()
    }

    /// Reads in the lane where others do not wait for it.
    private func readAtLength<Result: Sendable>(
        _ pending: PendingRead<Result>, of client: String?,
        _ continuation: CheckedContinuation<Swift.Result<Result, TreeError>, Never>
    ) {
        let isTaken = longReaders.submit(of: client) { reader in
            continuation.resume(returning: pending.run(on: reader, after: self.commitCount))
        }
        if !isTaken { continuation.resume(returning: pending.run(on: nil, after: commitCount)) }
    }

    /// Looks through the pages of a database that is not too large for it, on a thread for reading.
    public func checkStructure() async throws(TreeError) {
        let outcome: Swift.Result<Void, TreeError> = await withCheckedContinuation { continuation in
            let isTaken = longReaders.submit { reader in
                continuation.resume(
                    returning: Swift.Result { () throws(TreeError) in
                        try reader.readAgainUponDamage(after: self.commitCount) { rows throws(TreeError) in
                            try rows.checkStructure()
                        }
                    })
            }
            if !isTaken { continuation.resume(returning: .failure(.closed)) }
        }
        try outcome.get()
    }

    /// Runs a transaction on the writing connection; it is on disk when this returns.
    ///
    /// After a failure, also that of the commit itself, the transaction is rolled back and counts as not done, also for
    /// whoever opens the database after a crash.
    ///
    /// It waits first, but not for long, while a long log is being let begin anew.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        if fault?.code == .io { try await renew() }
        await waitForRestart()
        return try await withWriter { writer throws(TreeError) in
            let result: Result
            do {
                // Before anybody hears of it, so that whoever does will read it.
                defer { self.commitCount.add(1, ordering: .releasing) }
                result = try writer.write(body)
            }
            committed(result)
            return result
        }
    }

    /// Runs a body on the writing thread; a checkpoint, if one is due, comes after the answer.
    func withWriter<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteWriter) throws(TreeError) -> Result
    ) async throws(TreeError) -> Result {
        let outcome: Swift.Result<Result, TreeError> = await withCheckedContinuation { continuation in
            let isTaken = writer.submit { writer in
                continuation.resume(returning: Swift.Result { () throws(TreeError) in try body(writer) })
                writer.checkpointIfDue()
                self.lastFault.withLock { $0 = writer.fault }
                self.logSize.store(writer.logBytes, ordering: .relaxed)
                if writer.isRestartDue { self.restartLogSoon() }
                if writer.isReturnDue { self.returnFreePagesSoon() }
            }
            if !isTaken { continuation.resume(returning: .failure(.closed)) }
        }
        return try outcome.get()
    }

    /// The error that keeps the log from being moved into the database: it grows with each commit.
    public var fault: TreeError? { lastFault.withLock { $0 } }

    /// The length of the log that the next start has to read, in bytes.
    public var logBytes: Int { logSize.load(ordering: .relaxed) }

    /// Moves the log into the database and closes it.
    ///
    /// Readers go first: the last connection to close makes the final checkpoint, and that must be the writing one.
    public func close() async {
        // In this order: what is broken off in the one goes to the other.
        await quickReaders.stopAndWait()
        await longReaders.stopAndWait()
        try? await withWriter { writer in writer.checkpointForClosing() }
        await writer.stopAndWait()
    }
}
