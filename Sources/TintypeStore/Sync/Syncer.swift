import TintypeClient
import TintypeModel

/// Keeps the device's state of the service up to date, until its task is cancelled or the person must sign in.
struct Syncer: Sendable {
    private static let firstWait: Duration = .seconds(1)
    private static let longestWait: Duration = .seconds(60)

    let store: LocalStore
    let account: Person.ID

    private var client: ServiceClient { store.client.sending(as: account) }

    /// Follows the service.
    ///
    /// - Throws: `RecordStoreError`, or `CancellationError`.
    func run() async throws {
        var failures = 0
        defer { note(.connecting) }
        while true {
            do {
                try await catchUp()
                failures = 0
                let position = try await position()
                let events = try await client.changeEvents(since: position)
                note(.connected)
                for try await changes in events {
                    try await apply(changes, since: position)
                    if changes.hasMore { break }
                }
                // The stream has ended, such as by a restart of the service.
                failures = max(failures, 1)
                note(.connecting)
            } catch {
                try Task.checkCancellation()
                note(LocalStore.Connection(error))
                if error is SessionError || (error as? Problem)?.code == .badToken { failures = 10 }
                if error is RecordStoreError { throw error }
                failures += 1
            }
            let wait = min(Self.longestWait, Self.firstWait * (1 << min(failures - 1, 10)))
            try await store.pause(wait * Double.random(in: 0.5...1))
        }
    }

    private func note(_ connection: LocalStore.Connection) {
        store.sending.setConnection(connection)
        store.hub.report([.connection])
    }

    /// Reads all that has changed so far.
    ///
    /// - Throws: As `ServiceClient` does; `RecordStoreError`.
    func catchUp() async throws {
        while true {
            let position = try await position()
            let earlier: Set<Int64>? =
                position == nil
                ? try await store.change(account, .appEnd) { Set(try $0.records.sentWrites().map(\.number)) } : nil
            do {
                let changes = try await client.changes(since: position).value
                try await apply(changes, since: position, earlier)
                if !changes.hasMore { return }
            } catch let problem as Problem where Self.isTooOld(problem) && position != nil {
                try await store.change(account, .appEnd) { try $0.set(nil as String?, .cursor) }
            }
        }
    }

    private static func isTooOld(_ problem: Problem) -> Bool {
        problem.status == 410 || [.resnapshot, .tokenTooOld, .tokenUnknown].contains(problem.code)
    }

    private func position() async throws -> String? {
        try await store.records.read { [account] in try AccountRecords(account, in: $0).text(.cursor) }
    }

    /// Applies changes in one transaction, unless the device is already past them.
    private func apply(
        _ changes: SyncChanges, since position: String?, _ earlierWrites: Set<Int64>? = nil
    ) async throws {
        try await store.change(account, .appEnd) { transaction in
            try transaction.apply(changes, earlierWrites: earlierWrites)
        }
    }
}
