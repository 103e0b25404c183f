import TintypeClient
import TintypeModel

/// Keeps the device's state of the service up to date, until its task is cancelled. It waits while the person must sign in.
struct Syncer: Sendable {
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
            /// The wait that the service has named.
            var named: Duration?
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
                if error is RecordStoreError { throw error }
                failures += 1
                // The person must sign in first.
                if error is SessionError || (error as? Problem)?.code == .badToken { failures = 10 }
                named = (error as? Problem)?.retryAfter
            }
            try await store.pause(named ?? Backoff.wait(afterFailures: failures))
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
                var known = position
                for try await changes in events {
                    guard try await apply(changes, since: known), !changes.hasMore else { return true }
                    known = changes.next
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
        let subscription = store.hub.listen(to: .outbox)
        while true {
            let sent = try await unreportedWrites()
            if !sent.isEmpty {
                try await store.clock.sleep(for: Self.reportTime)
                if try await !sent.isDisjoint(with: unreportedWrites()) { return }
                continue
            }
            try await subscription.change()
        }
    }

    /// Returns the numbers of the writes that the service has carried out, and that synchronisation does not include yet.
    private func unreportedWrites() async throws -> Set<Int64> {
        try await store.records.read { [account] reader in
            let records = AccountRecords(account, in: reader)
            let known = try records.syncedNumber() ?? -1
            return Set(
                try records.sentWrites().filter { queued in
                    guard case .sent(let number?, _) = queued.state else { return true }
                    return number > known
                }.map(\.number))
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
                if try await apply(changes, since: position, earlierWrites: earlier), !changes.hasMore { return }
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
        let subscription = store.hub.listen(to: .interests)
        while shownPosts() == posts { try await subscription.change() }
    }

    private func position() async throws -> String? {
        try await store.records.read { [account] in try AccountRecords(account, in: $0).text(.cursor) }
    }

    /// Applies changes in one transaction.
    ///
    /// - Returns: False if the device has another position by now, because the person's data were removed.
    private func apply(
        _ changes: SyncChanges, since position: String?, earlierWrites: Set<Int64>? = nil
    ) async throws -> Bool {
        try await store.change(account, .appEnd) { transaction in
            guard try transaction.records.text(.cursor) == position else { return false }
            try transaction.apply(changes, earlierWrites: earlierWrites)
            return true
        }
    }
}
