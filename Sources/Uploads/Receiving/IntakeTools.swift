package import Store
package import Tree

/// The parts of the pipeline for a way in that claims photos itself, such as the inbox.
package struct IntakeTools: Sendable {
    package let storage: StorageFolder
    package let disk: DiskMonitor
    package let store: UploadStore
    package let receiver: UploadReceiver
    package let index: PhotoIndex
    /// Whether posts are moderated before they are published.
    package let isModerated: Bool
    let shared: SharedSettings

    package init(
        storage: StorageFolder, disk: DiskMonitor, store: UploadStore, receiver: UploadReceiver, index: PhotoIndex,
        isModerated: Bool, shared: SharedSettings
    ) {
        self.storage = storage
        self.disk = disk
        self.store = store
        self.receiver = receiver
        self.index = index
        self.isModerated = isModerated
        self.shared = shared
    }

    package var tree: TreeStore { storage.tree }
    /// The current settings.
    package var settings: PipelineSettings { shared.value }
}
