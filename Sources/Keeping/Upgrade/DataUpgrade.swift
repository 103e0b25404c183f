import API
package import Logging
import Model
import Social
package import Store
import Tree
import Uploads

/// The steps that bring the data of a store of an earlier version forward; see `StoreUpgrade`.
///
/// Each may be cut off anywhere, and notes in the tree when it is done.
package struct DataUpgrade: Sendable {
    private let storage: StorageFolder
    private let order: OrderMigration
    /// The repair of what derivations keep in order.
    private let repair: SocialRepair
    /// The count of the room that files take up which are there already.
    package let usage: UsageCount
    private let logger: Logger

    package init(_ storage: StorageFolder, logger: Logger) {
        self.storage = storage
        self.logger = logger
        order = OrderMigration(tree: storage.tree, logger: logger)
        repair = SocialRepair(storage.tree, version: StoreNodes.socialVersion(), logger: logger)
        usage = UsageCount(storage.tree, logger: logger)
    }

    /// Does what has to be done before anything else works on the store, and notes of an empty one that nothing is to be done.
    ///
    /// It returns when posts of earlier versions are in the order of publication, which takes some seconds for 100,000 of
    /// them at the first start.
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

    /// Puts posts of earlier versions in the order of publication, unless they are.
    package func orderPosts() async throws {
        guard storage.tree.health.damage == nil else { return }
        try await order.run()
    }

    /// Does all steps that are not done yet.
    ///
    /// - Throws: The engine's failure; then another run goes on.
    package func run() async throws {
        try await orderPosts()
        try await repair.run()
        try await usage.run()
        if storage.upgrade.state == .upgrading { try await PhotoIndex.complete(in: storage.tree) }
        try await storage.finishUpgrade()
    }
}
