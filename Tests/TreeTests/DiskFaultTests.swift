import CSystemSQLite
import Foundation
import Testing

@testable import Tree

/// The cost of a disk that fails for a while: an error for each update meanwhile, and nothing afterwards.
@Suite struct DiskFaultTests {
    /// The pages of a transaction whose fsync failed are complete in the log.
    @Test("an update that was reported as failed is not there after a crash either")
    func failedCommitStaysFailed() async throws {
        try await withScratchFolder { folder in
            let engine = try SQLiteEngine(path: folder + "/tree.sqlite")
            try await engine.write { transaction throws(TreeError) in try transaction.put([1], for: [1]) }
            let fault = SyncFault()
            try await engine.withWriter { writer throws(TreeError) in
                fault.begin(.log, on: try writer.rows().connection)
            }
            let error = await expectCode(.io) {
                try await engine.write { transaction throws(TreeError) in try transaction.put([2], for: [2]) }
            }
            #expect(error?.message.contains("may bring the update back") == true, "the fsync of that failed, too")
            // A process that is killed now leaves these files.
            let copy = folder + "/copy.sqlite"
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: folder + "/tree.sqlite" + suffix, toPath: copy + suffix)
            }
            let copied = try SQLiteEngine(path: copy)
            #expect(try await keys(of: copied) == [[1]])
            await copied.close()

            await expectCode(.io) { try await engine.probe() }
            try await engine.withWriter { _ in fault.end() }
            try await engine.probe()
            try await engine.write { transaction throws(TreeError) in try transaction.put([3], for: [3]) }
            #expect(try await keys(of: engine) == [[1], [3]])
            await engine.close()
        }
    }

    /// After a failed fsync, the system may drop the written pages without a further error. A reader that kept the
    /// first checkpoint from moving all pages makes this worse: SQLite would not move those pages a second time.
    @Test("when an fsync of the database fails, the log is moved into it again, from its beginning")
    func failedCheckpoint() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let total = 2 * Self.count + 6000
            // The log does not restart meanwhile, as a restart would sync the database.
            let engine = try SQLiteEngine(path: path, restartPages: 20_000)
            try await fill(engine, round: 0)
            let before = try Data(contentsOf: URL(filePath: path))
            try await fill(engine, round: 1, count: 3000)
            let (reading, release) = try await beginReading(engine)
            // This checkpoint moves the pages from before the reader, and does not fsync.
            try await fill(engine, round: 2, count: 3000)
            #expect(engine.fault == nil)
            release()
            _ = try await reading.value
            let fault = SyncFault()
            try await engine.withWriter { writer throws(TreeError) in
                fault.begin(.database, on: try writer.rows().connection)
            }
            try await fill(engine, round: 3)
            #expect(engine.fault?.code == .io)
            // The disk has lost the pages that the checkpoints wrote.
            let database = try FileHandle(forUpdating: URL(filePath: path))
            try database.write(contentsOf: before)
            try database.close()
            // The next write first repairs this; the fault ends with the connection.
            try await engine.write { transaction throws(TreeError) in try transaction.put([], for: [9]) }
            #expect(engine.fault == nil)
            #expect(try await keys(of: engine).count == total + 1)
            await engine.close()

            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            let again = try SQLiteEngine(path: path)
            #expect(try await keys(of: again).count == total + 1)
            let verdict = try await again.withWriter { writer throws(TreeError) in
                var verdict: [UInt8] = []
                try SQLiteStatement("PRAGMA integrity_check", on: try writer.rows().connection).run {
                    row throws(TreeError) in
                    verdict = Array(row.blob(at: 0))
                    return true
                }
                return String(decoding: verdict, as: UTF8.self)
            }
            #expect(verdict == "ok")
            await again.close()
        }
    }

    @Test("a store that closes while its database cannot be synced keeps the log, from which the next store recovers")
    func closedInTheMiddle() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let engine = try SQLiteEngine(path: path)
            try await engine.write { transaction throws(TreeError) in try transaction.put([1], for: [1]) }
            let before = try Data(contentsOf: URL(filePath: path))
            let fault = SyncFault()
            try await engine.withWriter { writer throws(TreeError) in
                fault.begin(.database, on: try writer.rows().connection)
            }
            await engine.close()
            #expect(FileManager.default.fileExists(atPath: path + "-wal"))
            let database = try FileHandle(forUpdating: URL(filePath: path))
            try database.truncate(atOffset: UInt64(before.count))
            try database.write(contentsOf: before)
            try database.close()
            let again = try SQLiteEngine(path: path)
            #expect(try await keys(of: again) == [[1]])
            await again.close()
        }
    }

    // MARK: -

    private static let count = 5000

    /// Writes rows of a page each; the default count is enough for a checkpoint.
    private func fill(_ engine: SQLiteEngine, round: UInt8, count: Int = count) async throws {
        let value = [UInt8](repeating: round, count: 3000)
        try await engine.write { transaction throws(TreeError) in
            for number in 0..<count {
                try transaction.put(value, for: [round, UInt8(number >> 8), UInt8(number & 0xFF)])
            }
        }
        // The checkpoint follows the answer.
        try await engine.withWriter { _ in }
    }

    /// Begins a read that lasts until it is released.
    private func beginReading(
        _ engine: SQLiteEngine
    ) async throws -> (task: Task<Void, any Error>, release: () -> Void) {
        let gate = Semaphore()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await engine.read { snapshot throws(TreeError) in
                _ = try snapshot.firstKey(in: .all, reverse: false)
                begin.finish()
                gate.wait()
            }
        }
        for await _ in begun {}
        return (task, { gate.signal() })
    }
}

/// A fault that makes each fsync of a connection's log, or of its database, fail.
///
/// It may be shared, as it is used on the writing thread alone, one call after the other.
final class SyncFault: @unchecked Sendable {
    enum Target {
        case log, database
    }

    private var file: UnsafeMutablePointer<sqlite3_file>?
    private var methods: UnsafePointer<sqlite3_io_methods>?
    private let faulty = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)

    deinit { faulty.deallocate() }

    func begin(_ target: Target, on connection: SQLiteConnection) {
        let operation = target == .log ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER
        sqlite3_file_control(connection.handle, "main", operation, &file)
        guard let file, let own = file.pointee.pMethods else { return }
        methods = own
        faulty.initialize(to: own.pointee)
        faulty.pointee.xSync = { _, _ in SQLITE_IOERR | 4 << 8 }
        file.pointee.pMethods = UnsafePointer(faulty)
    }

    func end() { file?.pointee.pMethods = methods }
}
