import API
package import Logging
import Model
import Social
package import Store
import Tree
import Uploads

/// The steps that migrate the data of a store written by an earlier version; see `StoreUpgrade`.
///
/// Each step may be interrupted at any point, and records its completion in the tree.
package struct DataUpgrade: Sendable {
    private let storage: StorageFolder
    private let order: OrderMigration
    /// The repair of what derivations maintain.
    private let repair: SocialRepair
    /// The count of the space that existing files take up.
    package let usage: UsageCount
    private let logger: Logger

    package init(_ storage: StorageFolder, logger: Logger) {
        self.storage = storage
        self.logger = logger
        order = OrderMigration(tree: storage.tree, logger: logger)
        repair = SocialRepair(storage.tree, version: StoreNodes.socialVersion(), logger: logger)
        usage = UsageCount(storage.tree, logger: logger)
    }

    /// Does the steps that must precede all other work on the store; marks all steps as done in an empty one.
    ///
    /// It returns when posts of earlier versions are in the order of publication. At the first start, that takes some
    /// seconds for 100,000 posts.
    package func begin() async {
        do {
            try await orderPosts()
            guard storage.tree.health.damage == nil else { return }
            try await usage.skipIfEmpty()
            if try await repair.skipIfEmpty() { try await storage.finishUpgrade() }
        } catch {
            logger.warning("posts cannot be put in the order of publication yet", metadata: ["fault": "\(error)"])
        }
    }

    /// Puts posts of earlier versions in the order of publication, if that has not been done.
    package func orderPosts() async throws {
        guard storage.tree.health.damage == nil else { return }
        try await order.run()
    }

    /// Does all remaining steps.
    ///
    /// - Throws: The engine's failure; the next run continues.
    package func run() async throws {
        try await orderPosts()
        try await repair.run()
        try await usage.run()
        if storage.upgrade.state == .upgrading { try await PhotoIndex.complete(in: storage.tree) }
        try await storage.finishUpgrade()
    }
}
