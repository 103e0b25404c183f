import Blobs
import Files
import Posts
import Tree

/// The list of blobs that nothing refers to any more, in the private tree: they are deleted when the grace period is over,
/// which readers need who saw their addresses before.
struct GarbageList: Sendable {
    let storage: StorageFolder
    let tree: TreeStore
    let blobs: any BlobStore
    let store: UploadStore
    let settings: SharedSettings
    /// The lock for switching a post's renditions, and for deleting replaced ones: a recipe that comes back gives
    /// files their old names again, and these must not be deleted as the garbage that they were before.
    let renditionLock = AsyncSemaphore(1)

    /// Adds blobs to the list, as a part of the update that makes garbage of them. A blob that a post names again when the
    /// grace period is over is kept.
    ///
    /// - Parameter isAtOnce: Whether they go with the next collection instead, as nobody is to see them any more.
    /// - Returns: The path of the entry; nil when there are no blobs.
    @discardableResult
    func add(_ blobs: [BlobName], to update: inout MultiPathUpdate, isAtOnce: Bool = false) throws -> TreePath? {
        guard !blobs.isEmpty else { return nil }
        var names: [TreeKey: TreeValue] = [:]
        for (index, name) in blobs.enumerated() {
            names[try TreeKey(String(index))] = .string(name.description)
        }
        let path = Paths.garbage / store.ids.next().key
        update[path] = [
            "after": .integer(store.now + (isAtOnce ? 0 : settings.value.gracePeriod.milliseconds)),
            "blobs": .object(names),
        ]
        return path
    }

    /// Deletes the blobs whose grace period is over, unless there is a ``StorageFolder/hold``; entries are in the order of time.
    func collect() async throws {
        guard storage.hold == nil else { return }
        let now = store.now
        while true {
            let entries = try await tree.children(of: Paths.garbage, limit: 100)
            let due = entries.filter { ($0.value["after"]?.integerValue ?? 0) <= now }
            for entry in due {
                try await renditionLock.withPermit { try await remove(entry) }
            }
            guard due.count == 100 else { return }
        }
    }

    private func remove(_ entry: TreeChild) async throws {
        let names = (entry.value["blobs"]?.object ?? [:]).values.compactMap(\.stringValue)
        for name in names.compactMap({ try? BlobName($0) }) where try await !isReferred(to: name) {
            try await blobs.remove(name)
        }
        try await tree.delete(Paths.garbage / entry.key, at: "collected")
    }

    private func isReferred(to name: BlobName) async throws -> Bool {
        guard let id = PostID(name.postID), try await tree.snapshot({ try $0.isShown(id) }) else { return false }
        if try await tree.snapshot({ try $0.isPrepared(name.fileName, of: id) }) { return true }
        let record = try await store.record(of: id)
        if record?.photos.values.contains(where: { $0.fileName == name.fileName }) == true {
            return true  // Whatever clients say of it.
        }
        guard let post = try await tree.snapshot({ try $0.record(ofPost: id) }) else {
            let rendered = (record?.photos.values).map { $0.compactMap(\.rendered) } ?? []
            if rendered.contains(where: { $0.renditions.values.contains { $0.fileName == name.fileName } }) {
                return true
            }
            // Each post that shows an object is switched by itself.
            let posts = try await tree.snapshot { snapshot in
                try snapshot.posts(ofObject: id).compactMap { try snapshot.record(ofPost: $0) }
            }
            return posts.contains { Self.isNamed(name, by: $0) }
        }
        return Self.isNamed(name, by: post)
    }

    private static func isNamed(_ name: BlobName, by post: TreeValue) -> Bool {
        guard let photos = PostPhotos.read(post) else { return true }
        return photos.contains { $0.renditions.values.contains { $0.fileName == name.fileName } }
    }
}
