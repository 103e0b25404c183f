import TintypeClient
import TintypeModel

/// Keeps the device's state of the service up to date, until its task is cancelled or the person must sign in.
struct Syncer: Sendable {
    private static let firstWait: Duration = .seconds(1)
    private static let longestWait: Duration = .seconds(60)
    /// The time in which the service reports the effect of a write, if it concerns what is synchronised.
    private static let reportTime: Duration = .seconds(5)

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
                if try await follow() { continue }
                // The stream has ended, such as by a restart of the service.
                failures = 1
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
        store.link.connection = connection
        store.hub.report([.connection])
    }

    /// Follows the stream of changes to its end.
    ///
    /// - Returns: Whether changes must be requested before that: there are more, the service does not report a write, or
    ///   open views show other posts.
    private func follow() async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            let posts = shownPosts()
            group.addTask {
                let position = try await position()
                let events = try await client.changeEvents(since: position, including: posts)
                note(.connected)
                for try await changes in events {
                    try await apply(changes, since: position)
                    if changes.hasMore { return true }
                }
                return false
            }
            group.addTask {
                try await untilWriteIsMissing()
                return true
            }
            group.addTask {
                try await otherPosts(than: posts)
                return true
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// Waits until the service has carried out a write, and has not reported it for a while. It reports what concerns the
    /// person's lists alone.
    private func untilWriteIsMissing() async throws {
        let subscription = store.hub.listen()
        var signals = subscription.signals.makeAsyncIterator()
        while true {
            let sent = try await sentWrites()
            if !sent.isEmpty {
                try await store.clock.sleep(for: Self.reportTime)
                if try await !sent.isDisjoint(with: sentWrites()) { return }
                continue
            }
            repeat {
                guard await signals.next(isolation: #isolation) != nil else { throw CancellationError() }
            } while !subscription.changes().contains(.outbox)
        }
    }

    /// Returns the numbers of the writes that the service has carried out, and that are still laid over its state.
    private func sentWrites() async throws -> Set<Int64> {
        try await store.records.read { [account] reader in
            Set(try AccountRecords(account, in: reader).sentWrites().map(\.number))
        }
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
                let changes = try await client.changes(since: position, including: shownPosts()).value
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

    /// The posts of open views that are in no synchronised list, the newest first: as many as a request may name.
    private func shownPosts() -> [Post.ID] {
        let posts = store.hub.interests.compactMap { if case .post(let id) = $0 { id } else { nil } }
        return Array(posts.sorted(by: >).prefix(100))
    }

    /// Waits until open views show other posts.
    private func otherPosts(than posts: [Post.ID]) async throws {
        let subscription = store.hub.listen()
        var signals = subscription.signals.makeAsyncIterator()
        while shownPosts() == posts {
            guard await signals.next(isolation: #isolation) != nil else { throw CancellationError() }
        }
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
