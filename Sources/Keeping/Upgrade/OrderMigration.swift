import Logging
import Model
import Tree
import Uploads

/// Puts posts into the order of publication that were published before there was one: by their ids, behind what is in it.
///
/// It works once in the life of a Storage folder, again after a version has worked on it that does not keep the order, and
/// again when the order is to have more of a post than before.
/// A batch is one commit. A post that has a position keeps it, so that a run that is cut off is gone on with by the next.
struct OrderMigration: Sendable {
    private static let batch = 500
    /// What the order has of posts: 2 since it has their hashtags, 3 since these have one form of Unicode.
    private static let version: TreeValue = 3
    /// How often the log says how far it is, in posts.
    private static let reportInterval = 10_000

    let tree: TreeStore
    let logger: Logger

    /// Does what there is to do.
    ///
    /// - Throws: The engine's failure; then another run is to go on.
    func run() async throws {
        guard try await tree.get(StoreNodes.postsAreOrdered()) != Self.version else { return }
        // What is gone, and then what is there.
        let staleCount = try await go(through: PostNodes.position())
        let count = try await go(through: PostNodes.post())
        try await tree.set(StoreNodes.postsAreOrdered(), to: Self.version)
        guard staleCount + count > 0 else { return }
        logger.info("all posts are in the order of publication", metadata: ["posts": "\(count)"])
    }

    /// Goes through all posts whose ids are the keys at a path.
    ///
    /// - Returns: How many of them had to be put in the order, or taken out of it.
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
        // The position of this very commit: it is decided anew if another one comes before.
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
