import API
import Hummingbird
import Requests
import Social
import Synchronization
import Tree

/// The differences of a reader's slice, as events.
final class SyncEventSource: EventSource {
    /// A difference, and the position just after it.
    struct Entry: Sendable {
        let document: SyncDocument
        let token: SyncToken
    }

    private let reader: SyncReader
    /// The position up to which all has been sent.
    private let cursor: Mutex<SyncCursor?>

    /// The number of changes of the rules when that was read; nil before. A change of the rules may show more or less.
    private let knownRules = Mutex<Int?>(nil)

    init(_ reader: SyncReader, from start: SyncCursor?) {
        self.reader = reader
        cursor = Mutex(start)
    }

    var greeting: String { "changes follow" }

    /// The interval at which changes are looked for that ``ReaderSlice/listen(bufferLimit:)`` does not observe, such as those
    /// of counts, which change more often than readers look.
    var interval: Duration? { .seconds(2) }

    func judge() async throws {}

    func listen(bufferLimit: Int) async throws -> [Subscription] {
        try await reader.slice.listen(bufferLimit: bufferLimit)
    }

    func changes(since token: SyncToken) async throws -> (changes: [Entry], next: SyncToken, hasMore: Bool) {
        let rules = reader.parts.tree.rulesChangeCount
        if let known = cursor.withLock(\.self), knownRules.withLock(\.self) == rules,
            try await reader.parts.tree.token == known.token
        {
            return ([], known.token, false)
        }
        let (document, next) = try await reader.difference(since: cursor.withLock(\.self))
        knownRules.withLock { $0 = rules }
        cursor.withLock { $0 = next }
        let entries = document.isEmpty ? [] : [Entry(document: document, token: next.token)]
        return (entries, next.token, document.more)
    }

    func extent(of entry: Entry) -> (token: SyncToken, count: Int) { (entry.token, 1) }

    func messages(of entry: Entry, _ numbers: Range<Int>) async throws -> [EventMessage?] {
        [.event("sync", entry.document)]
    }

    func id(_ text: String) -> String { cursor.withLock(\.self)?.description ?? text }
}
