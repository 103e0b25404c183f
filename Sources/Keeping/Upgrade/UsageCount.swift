import Logging
import Model
import Tree
import Uploads

/// Counts, once, the files of a store that is older than the counting; from then on, ``UsageDerivation`` keeps the
/// count.
///
/// A batch is one commit. Files that are already counted are not counted again, so that a run that is interrupted is
/// continued by the next.
package struct UsageCount: Sendable {
    private static let batch = 200

    private let tree: TreeStore
    private let logger: Logger

    init(_ tree: TreeStore, logger: Logger) {
        (self.tree, self.logger) = (tree, logger)
    }

    /// Whether everything has been counted.
    package func isDone() async throws -> Bool { try await tree.get(UsageNodes.version()) == Usage.countVersion }

    /// Marks the count as done in a store without files.
    func skipIfEmpty() async throws {
        guard try await !isDone() else { return }
        try await tree.transact { snapshot, update in
            for list in [UploadNodes.upload(), ObjectNodes.file(), UploadNodes.resumableFile()]
            where try snapshot.exists(list) {
                return
            }
            update[UsageNodes.version()] = Usage.countVersion
        }
    }

    /// Counts the files that are not counted yet.
    ///
    /// - Throws: The engine's failure; the next run continues.
    package func run() async throws {
        guard try await !isDone() else { return }
        var count = 0
        count += try await go(through: UsageNodes.ofFile.pattern) { node, _ throws(TreeError) in
            PostID(node.keys[3].string).map { UsageSubject(owner: node.keys[2], id: $0) }
        }
        count += try await go(through: UploadNodes.upload.pattern) { node, snapshot throws(TreeError) in
            try PostID(node.keys[1].string).flatMap { id throws(TreeError) in
                try snapshot.usageSubject(ofUpload: id)
            }
        }
        count += try await go(through: ObjectNodes.file.pattern, UsageInvariants.objectFile)
        count += try await go(through: UploadNodes.resumableFileOf.pattern) {
            node, _ throws(TreeError) in
            PostID(node.keys[2].string).map { UsageSubject(owner: node.keys[1], id: $0) }
        }
        try await tree.set(UsageNodes.version(), to: Usage.countVersion)
        guard count > 0 else { return }
        logger.info("all files are counted", metadata: ["folders": "\(count)"])
    }

    /// Counts the files of the ids at a list of nodes, each of which holds the owner of an id.
    ///
    /// - Returns: The number of nodes.
    private func go(
        through place: TreePattern,
        _ subject: @escaping @Sendable (TreePath, TreeSnapshot) throws(TreeError) -> UsageSubject?
    ) async throws -> Int {
        var last: TreePath?
        var count = 0
        repeat {
            let position = last
            let nodes = try await tree.transact(at: "counted") { snapshot, update in
                let nodes = try place.nodes(in: snapshot, after: position, limit: Self.batch)
                var ledger = UsageLedger(in: snapshot)
                for node in nodes {
                    if let subject = try subject(node, snapshot) { try ledger.settle(subject) }
                }
                for write in ledger.writes { update[write.path] = write.value }
                return nodes
            }
            count += nodes.count
            last = nodes.count == Self.batch ? nodes.last : nil
            try Task.checkCancellation()
        } while last != nil
        return count
    }
}
