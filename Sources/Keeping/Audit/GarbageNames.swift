import Model
import Synchronization
package import Tree

/// The files that are listed as garbage, as far as an audit has to know them: what is among them is not forgotten, and goes
/// when its time comes.
///
/// Of each name there is a hash alone, so that millions of them fit. Names are never used again, so a name that was listed
/// once stays known: it is garbage, or is shown again, until its file is gone.
package final class GarbageNames: Sendable {
    private struct State {
        var hashes: Set<Int> = []
        var last: TreeKey?
    }

    private static let batch = 500
    /// The time in which an entry is committed whose key is made: as long after a key there may be entries with
    /// earlier ones. What comes later still looks as if nothing named it until the next audit.
    private static let patience = Duration.seconds(60)
    private let state = Mutex(State())

    package init() {}

    /// Whether a file, `user_id/post_id/file_name`, was listed at the last ``update(in:)``.
    package func contains(_ name: String) -> Bool { state.withLock { $0.hashes.contains(name.hashValue) } }

    /// Takes in what was listed since the last call. Entries are in the order in which their keys were made, which is not always
    /// the order of commits.
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
                // Others may have looked at the same time, and come further.
                if let last = page.last?.key, state.last.map({ $0 < last }) ?? true { state.last = last }
            }
            guard page.count == Self.batch, let last = page.last?.key else { return }
            range = .after(last)
        }
    }

    /// The range of entries that may not be known, by the last one that is.
    private static func unknown(since last: TreeKey) -> KeyRange {
        guard let id = PushID(last.string) else { return .after(last) }
        return .from(PushID.first(at: id.timestamp - patience).key)
    }
}
