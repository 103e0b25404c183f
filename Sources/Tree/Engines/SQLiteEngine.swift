import Glibc
import Synchronization

/// The embedded engine: one table in an SQLite file in WAL mode, with an fsync for each transaction.
///
/// Only one connection writes and makes checkpoints. SQLite before 3.51.3 (Debian 12 has 3.40.1) can corrupt a database
/// if a checkpoint of one connection and a write of another reset the log at the same moment
/// (sqlite.org/wal.html#walresetbug). Readers are read-only connections, which can neither write nor make checkpoints.
/// The caller must ensure that only one process has the file open.
///
/// Each connection has a thread of its own, so that Swift's cooperative threads are never blocked.
public final class SQLiteEngine: Engine {
    /// The number of threads in each of the two lanes.
    static let readerCount = 2

    let writer: WorkerThreads<SQLiteWriter>
    /// The lane in which reads of unknown size start. A read that exceeds its allowance is interrupted and started
    /// again in the other lane, so that small reads do not wait for large ones. Clients take turns in each lane.
    let quickReaders: WorkerThreads<SQLiteReader>
    let longReaders: WorkerThreads<SQLiteReader>
    /// The number of finished transactions; readers use it to check whether their state is still current.
    private let commitCount = Atomic<UInt64>(0)
    private let lastFault = Mutex<TreeError?>(nil)
    private let logSize = Atomic(0)
    let upkeep = Mutex(Upkeep())
    /// The length of the log, in bytes, from which on transactions wait for a pending restart of the log.
    let maxLogBytes: Int
    /// Sleeps for a twentieth of the longest such wait.
    let pause: @Sendable () async -> Void

    /// Opens the database at a path, or creates it with access for its owner only.
    ///
    /// This blocks the thread while SQLite opens the file and recovers its log; open engines at start-up.
    ///
    /// - Throws: ``TreeError`` with codes such as `cannot_open`, `read_only`, `corrupt` and `busy`.
    public convenience init(path: String) throws(TreeError) {
        try self.init(path: path, restartPages: SQLiteWriter.restartPages)
    }

    /// - Parameters:
    ///   - restartPages: The number of pages from which on the log is restarted; from twice this number on,
    ///     transactions wait for the restart.
    ///   - maxFreePages: The number of pages that may be free.
    ///   - pause: Sleeps for a twentieth of the longest time for which a transaction waits.
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

    /// Creates the database file with restricted access before SQLite does; SQLite gives its log the same mode.
    private static func createFile(_ path: String) throws(TreeError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw TreeError(.cannotOpen, "\(path): \(reason)", hint: "Check the folder and its permissions.")
        }
        _ = Glibc.close(descriptor)
    }

    /// Reads one state of the database on a reading thread. While reads wait, clients take turns (`ReadingClient`).
    ///
    /// If the size of the read is unknown and it exceeds the allowance, the body is called again, possibly with another
    /// state. The body is also called again if the read meets damage, because a failed read does not prove that the
    /// stored data is damaged.
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

    /// Reads in the lane for large reads.
    private func readAtLength<Result: Sendable>(
        _ pending: PendingRead<Result>, of client: String?,
        _ continuation: CheckedContinuation<Swift.Result<Result, TreeError>, Never>
    ) {
        let isTaken = longReaders.submit(of: client) { reader in
            continuation.resume(returning: pending.run(on: reader, after: self.commitCount))
        }
        if !isTaken { continuation.resume(returning: pending.run(on: nil, after: commitCount)) }
    }

    /// Checks the pages of a database of limited size, on a reading thread.
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

    /// Runs a transaction on the writing connection; it is durable when this returns.
    ///
    /// After a failure, even of the commit itself, the transaction is rolled back and has no effect, even if the
    /// database is opened again after a crash.
    ///
    /// The transaction first waits for a limited time if a long log is being restarted.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any EngineTransaction) throws(TreeError) -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws(TreeError) -> Result {
        if fault?.code == .io { try await renew() }
        await waitForRestart()
        return try await withWriter { writer throws(TreeError) in
            let result: Result
            do {
                // This precedes the answer, so that a caller who has received it reads the new state.
                defer { self.commitCount.add(1, ordering: .releasing) }
                result = try writer.write(body)
            }
            committed(result)
            return result
        }
    }

    /// Runs a body on the writing thread; a checkpoint that is due follows after the answer.
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

    /// The error that prevents the log from being moved into the database. Meanwhile the log grows with each commit.
    public var fault: TreeError? { lastFault.withLock { $0 } }

    /// The length of the log that the next start reads, in bytes.
    public var logBytes: Int { logSize.load(ordering: .relaxed) }

    /// Moves the log into the database and closes it.
    ///
    /// Readers are closed first: the last connection to close makes the final checkpoint, and it must be the writing
    /// one.
    public func close() async {
        // Quick readers stop first, because their interrupted reads continue with the long readers.
        await quickReaders.stopAndWait()
        await longReaders.stopAndWait()
        try? await withWriter { writer in writer.checkpointForClosing() }
        await writer.stopAndWait()
    }
}
