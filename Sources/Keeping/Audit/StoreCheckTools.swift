package import Store
import Tree
import Uploads

/// The parts that a store check examines and uses.
package struct StoreCheckTools: Sendable {
    let storage: StorageFolder
    let posts: PostTools
    let unclaimed: UnclaimedFiles
    let deletedPosts: DeletedPostSweeper
    /// The invariants to check.
    let rules: [TreeInvariant]
    /// The results of the last checks.
    let results: StoreCheckResults

    package init(
        storage: StorageFolder, posts: PostTools, unclaimed: UnclaimedFiles, deletedPosts: DeletedPostSweeper,
        rules: [TreeInvariant], results: StoreCheckResults
    ) {
        self.storage = storage
        self.posts = posts
        self.unclaimed = unclaimed
        self.deletedPosts = deletedPosts
        self.rules = rules
        self.results = results
    }

    var tree: TreeStore { storage.tree }
    var blobs: any BlobStore { storage.blobs }
    var store: UploadStore { posts.store }
    var garbage: GarbageList { posts.garbage }
    var settings: PipelineSettings { posts.settings }
    var clock: @Sendable () -> Timestamp { storage.clock }
    var now: Timestamp { posts.now }
}
