import Logging
import Model
import Tree
import Uploads

/// Puts posts that were published before the order of publication existed into that order: by their ids, after the
/// posts in it.
///
/// It runs once in the life of a Storage folder, again after a version that does not maintain the order has written to
/// it, and again when the order needs more data of each post than before.
///
/// A batch is one commit. A post that has a position keeps it, so that a run that is interrupted is continued by the
/// next.
struct OrderMigration: Sendable {
    private static let batch = 500
    /// The version of the data that the order holds: 2 added the hashtags of posts, 3 gave these one form of Unicode.
    private static let version: TreeValue = 3
    /// The number of posts between two log lines about the progress.
    private static let reportInterval = 10_000

    let tree: TreeStore
    let logger: Logger

    /// Migrates the posts that need it.
    ///
    /// - Throws: The engine's failure; the next run continues.
    func run() async throws {
        guard try await tree.get(StoreNodes.postsAreOrdered()) != Self.version else { return }
        // First the positions whose posts are gone, then the posts.
        let staleCount = try await go(through: PostNodes.position())
        let count = try await go(through: PostNodes.post())
        try await tree.set(StoreNodes.postsAreOrdered(), to: Self.version)
        guard staleCount + count > 0 else { return }
        logger.info("all posts are in the order of publication", metadata: ["posts": "\(count)"])
    }

    /// Checks all posts whose ids are the keys at a path.
    ///
    /// - Returns: The number of posts that were added to the order or removed from it.
    private func go(through list: TreePath) async throws -> Int {
        var range = KeyRange.all
        var (seen, changed) = (0, 0)
        while true {
            let batch = try await tree.transact(at: "posts-ordered") { [range] snapshot, update in
                try Self.order(in: list, range, snapshot, &update)
            }
            changed += batch.changed
            seen += batch.count
            guard let last = batch.last else { return changed }
            if seen % Self.reportInterval == 0, changed > 0 {
                logger.info("posts are being put in the order of publication", metadata: ["done": "\(seen)"])
            }
            range = .after(last)
            try Task.checkCancellation()
        }
    }

    private static func order(
        in list: TreePath, _ range: KeyRange, _ snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws -> (count: Int, changed: Int, last: TreeKey?) {
        let ids = try snapshot.keys(of: list, range: range, limit: Self.batch)
        // The position of this very commit; it is computed again if another commit comes first.
        let sequence = try snapshot.token.sequence + 1
        var changed = 0
        for (number, id) in ids.enumerated() {
            let writes = try PostOrder.writes(
                for: id, isThere: snapshot.exists(PostNodes.post() / id),
                at: PostPosition(sequence: sequence, number: number), isOfEarlierVersion: true, in: snapshot)
            for write in writes { update[write.path] = write.value }
            if !writes.isEmpty { changed += 1 }
        }
        return (ids.count, changed, ids.last)
    }
}
