import API
import Access
import Database
import Files
import Model
import Synchronization
import TestSupport
import Testing
import Tree

/// A database in memory, and its log.
struct Fixture: Sendable {
    let database: RealtimeDatabase
    let tree: TreeStore
    let spool: ResponseSpool
    let log: RecordingLog

    /// The logged messages, each with its identity and path.
    var logLines: [String] {
        log.entries.map { "\($0.message) by \($0.text("identity")) at \($0.text("path"))" }
    }

    var owner: DatabaseSession { database.session(as: .admin) }

    /// Returns the database as the next process opens it.
    func reopened() -> RealtimeDatabase {
        RealtimeDatabase(
            tree, disconnects: StoreNodes.disconnect(), requests: WorkNodes.requests, ids: PushIDGenerator(),
            isThrowAway: false, isOpenWithoutRules: true, spool: spool, logger: log.logger)
    }
    var stranger: DatabaseSession { database.session(as: .anonymous) }
}

/// Runs a test's body with a fresh database.
@discardableResult
func withDatabase<R: Sendable>(
    isThrowAway: Bool = false, isOpenWithoutRules: Bool = true, maxSpooledBytes: Int = ResponseSpool.maxBytes,
    _ body: @Sendable (Fixture) async throws -> R
) async throws -> R {
    try await withScratch { scratch in
        let tree = try await TreeStore(engine: MemoryEngine())
        let spool = ResponseSpool(in: try scratch.directory(), maxBytes: maxSpooledBytes)
        let log = RecordingLog()
        let database = RealtimeDatabase(
            tree, disconnects: StoreNodes.disconnect(), requests: WorkNodes.requests, ids: PushIDGenerator(),
            isThrowAway: isThrowAway, isOpenWithoutRules: isOpenWithoutRules, spool: spool, logger: log.logger)
        let result = try await body(Fixture(database: database, tree: tree, spool: spool, log: log))
        await tree.close()
        return result
    }
}

/// A counter of the rows that a session's reads visit.
final class RowCounter: Sendable {
    private let rows = Mutex(0)

    var count: Int { rows.withLock { $0 } }
    var reader: ReadingClient { ReadingClient(named: "test") { count in self.rows.withLock { $0 += count } } }
}

extension SpooledBody.Finished {
    /// The text, in memory or in a file.
    var text: String {
        get throws {
            switch self {
            case .memory(let bytes): String(decoding: bytes, as: UTF8.self)
            case .file(let file):
                String(decoding: try file.file.read(at: 0, maxBytes: file.byteCount), as: UTF8.self)
            }
        }
    }
}

extension DatabaseSession {
    /// Returns the value of a path, as text.
    func text(of path: TreePath, _ part: ReadRequest.Part = .value(.plain)) async throws -> String {
        switch try await get(ReadRequest(part, at: path)) {
        case .text(let text, _, _): try text.text
        case .unchanged: "unchanged"
        }
    }
}

/// Returns the code of the error of a body; `done` when it throws nothing.
func outcome(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "done"
    } catch let error as Failure {
        return error.code.rawValue
    } catch let error as TreeError {
        return error.code.rawValue
    } catch {
        return "\(error)"
    }
}
