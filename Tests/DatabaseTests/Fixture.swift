import API
import Access
import Database
import Files
import Logging
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

    var owner: DatabaseSession { database.session(as: .admin) }

    /// Returns the database as the next process opens it.
    func reopened() -> RealtimeDatabase {
        RealtimeDatabase(
            tree, disconnects: StoreNodes.disconnect(), ids: PushIDGenerator(), isThrowAway: false,
            isOpenWithoutRules: true, spool: spool,
            logger: Logger(label: "test") { _ in log })
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
            tree, disconnects: StoreNodes.disconnect(), ids: PushIDGenerator(), isThrowAway: isThrowAway,
            isOpenWithoutRules: isOpenWithoutRules,
            spool: spool,
            logger: Logger(label: "test") { _ in log })
        let result = try await body(Fixture(database: database, tree: tree, spool: spool, log: log))
        await tree.close()
        return result
    }
}

/// A log that stores its messages.
struct RecordingLog: LogHandler {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private let kept = Lines()
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    /// The messages, each with its identity and path.
    var lines: [String] { kept.all.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let (identity, path) = (event.metadata?["identity"], event.metadata?["path"])
        kept.all.withLock {
            $0.append("\(event.message) by \(identity.map { "\($0)" } ?? "?") at \(path.map { "\($0)" } ?? "?")")
        }
    }
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
