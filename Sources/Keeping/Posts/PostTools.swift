package import Model
package import Store
package import Tree
package import Uploads

/// The parts that are needed to change files of published posts: by jobs over posts, repairs and moderation.
package struct PostTools: Sendable {
    let tree: TreeStore
    let blobs: any BlobStore
    /// The address of the service for apps; nil for addresses without a host.
    let publicBase: PublicBase?
    let store: UploadStore
    let renditions: RenditionMaker
    let scheduler: RenderScheduler
    let garbage: GarbageList
    let disk: DiskMonitor
    let shared: SharedSettings

    package init(
        tree: TreeStore, blobs: any BlobStore, publicBase: PublicBase?, store: UploadStore, renditions: RenditionMaker,
        scheduler: RenderScheduler, garbage: GarbageList, disk: DiskMonitor, shared: SharedSettings
    ) {
        self.tree = tree
        self.blobs = blobs
        self.publicBase = publicBase
        self.store = store
        self.renditions = renditions
        self.scheduler = scheduler
        self.garbage = garbage
        self.disk = disk
        self.shared = shared
    }

    /// The present settings.
    var settings: PipelineSettings { shared.value }
    /// The present time.
    var now: Timestamp { store.now }
}
