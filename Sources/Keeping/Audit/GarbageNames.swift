import Model
import Synchronization
package import Tree

/// The files on the garbage list, for store checks: they are not orphaned, and are deleted when their time comes.
///
/// Only the hashes of the names are kept, so that millions of them fit in memory. Names are never used again, so a name
/// that was listed once stays in the set: its file is garbage, or shown again, until it is deleted.
package final class GarbageNames: Sendable {
    private struct State {
        var hashes: Set<Int> = []
        var last: TreeKey?
    }

    private static let batch = 500
    /// The longest time between the creation of an entry's key and its commit: entries with earlier keys may still
    /// appear for this long. A file whose entry appears later is reported as orphaned until the next check.
    private static let patience = Duration.seconds(60)
    private let state = Mutex(State())

    package init() {}

    /// Whether a file, `user_id/post_id/file_name`, was listed at the last ``update(in:)`` or before.
    package func contains(_ name: String) -> Bool { state.withLock { $0.hashes.contains(name.hashValue) } }

    /// Adds the entries that were listed since the last call. Entries are in the order in which their keys were
    /// created, which is not always the order of commits.
    package func update(in snapshot: TreeSnapshot) throws(TreeError) {
        var range = state.withLock { $0.last.map(Self.unknown) ?? .all }
        while true {
            let page = try snapshot.children(of: FileNodes.garbage(), range: range, limit: Self.batch)
            state.withLock { state in
                for entry in page {
                    for name in (entry.value["blobs"]?.object ?? [:]).values.compactMap(\.stringValue) {
                        state.hashes.insert(name.hashValue)
                    }
                }
                // Another task may have read at the same time, and further.
                if let last = page.last?.key, state.last.map({ $0 < last }) ?? true { state.last = last }
            }
            guard page.count == Self.batch, let last = page.last?.key else { return }
            range = .after(last)
        }
    }

    /// The range of entries that may not have been read yet, given the last one that has.
    private static func unknown(since last: TreeKey) -> KeyRange {
        guard let id = PushID(last.string) else { return .after(last) }
        return .from(PushID.first(at: id.timestamp - patience).key)
    }
}
