package import Concurrency
import Files
package import Model
package import Store
package import Tree

/// The list of blobs that nothing refers to any longer, in the private tree. They are deleted at the end of the grace
/// period, which is for readers that saw their addresses before.
package struct GarbageList: Sendable {
    let storage: StorageFolder
    let tree: TreeStore
    let blobs: any BlobStore
    let store: UploadStore
    let settings: SharedSettings

    package init(
        storage: StorageFolder, tree: TreeStore, blobs: any BlobStore, store: UploadStore, settings: SharedSettings
    ) {
        self.storage = storage
        self.tree = tree
        self.blobs = blobs
        self.store = store
        self.settings = settings
    }
    /// The locks for switching the renditions of an upload and for deleting replaced ones: files that a post refers to
    /// again after a switch back must not be deleted as garbage.
    package let locks = KeyedLock<PostID>()

    /// Adds blobs to the list, as a part of the update that makes them garbage. A blob that a post refers to again at
    /// the end of the grace period is kept.
    ///
    /// - Parameters:
    ///   - attempt: The attempt that will write the blobs, whose record is deleted with them.
    ///   - isAtOnce: Whether they are deleted in the next collection, because nobody may see them any longer.
    /// - Returns: The path of the entry; nil without blobs.
    @discardableResult
    package func add(
        _ blobs: [BlobName], of attempt: RenditionAttempt? = nil, to update: inout MultiPathUpdate,
        isAtOnce: Bool = false
    ) throws -> TreePath? {
        guard !blobs.isEmpty else { return nil }
        var names: [TreeKey: TreeValue] = [:]
        for (index, name) in blobs.enumerated() {
            names[try TreeKey(String(index))] = .string(name.description)
        }
        let path = FileNodes.garbage() / store.ids.next().key
        var entry: [TreeKey: TreeValue] = [
            "after": (store.now + (isAtOnce ? .zero : settings.value.gracePeriod)).value,
            "blobs": .object(names),
        ]
        entry["attempt"] = attempt.map { .string($0.description) }
        update[path] = .object(entry)
        return path
    }

    /// Deletes the blobs whose grace period is over, unless there is a ``StorageFolder/hold``. Entries are in the order
    /// of time.
    package func collect() async throws {
        guard storage.hold == nil else { return }
        try await storage.sweeps.sweep { try await collectDue() }
    }

    private func collectDue() async throws {
        let now = store.now
        while true {
            let entries = try await tree.children(of: FileNodes.garbage(), limit: 100)
            let due = entries.filter { ($0.value["after"]?.timestampValue ?? .epoch) <= now }
            for entry in due {
                try await remove(entry)
            }
            guard due.count == 100 else { return }
        }
    }

    private func remove(_ child: TreeChild) async throws {
        let entry = GarbageEntry(child)
        var update = MultiPathUpdate()
        update[FileNodes.garbage() / child.key] = nil
        for name in entry.blobs {
            guard let id = PostID(name.postID) else { continue }
            if let attempt = entry.attempt { update[UploadNodes.attempt(id) / attempt] = nil }
            let isGone = try await locks.withLease(id) { try await removeUnlessReferred(name) }
            if isGone { try await forget(name, in: &update) }
        }
        _ = try await tree.commit(update, at: "collected")
    }

    /// Not inlined: inlining into ``remove(_:)`` crashes the optimizer of Swift 6.3.
    ///
    /// - Returns: Whether the file was deleted.
    @inline(never)
    private func removeUnlessReferred(_ name: BlobName) async throws -> Bool {
        guard try await !isReferred(to: name) else { return false }
        try await blobs.remove(name)
        store.metrics.countGarbage()
        return true
    }

    /// Deletes the record of a deleted file.
    private func forget(_ name: BlobName, in update: inout MultiPathUpdate) async throws {
        guard let id = PostID(name.postID), let record = try await store.record(of: id) else { return }
        for (number, photo) in record.photos where photo.files[name.fileName] != nil {
            update[UploadNodes.photo(number, of: id) / "files" / (try RenditionFile.key(name.fileName))] = nil
        }
    }

    private func isReferred(to name: BlobName) async throws -> Bool {
        guard let id = PostID(name.postID), try await tree.snapshot({ try $0.isShown(id) }) else { return false }
        if try await tree.snapshot({ try RethumbRun.preparedFiles(of: id, in: $0).contains(name.fileName) }) {
            return true
        }
        let record = try await store.record(of: id)
        if record?.photos.values.contains(where: { $0.fileName == name.fileName && $0.droppedAt == nil }) == true {
            return true  // This holds independently of the posts, which clients may have changed.
        }
        guard let post = try await tree.snapshot({ try $0.record(ofPost: id) }) else {
            let rendered = (record?.photos.values).map { $0.compactMap(\.rendered) } ?? []
            if rendered.contains(where: { $0.renditions.values.contains { $0.fileName == name.fileName } }) {
                return true
            }
            // Each post that shows an object is switched separately.
            let posts = try await tree.snapshot { snapshot in
                try ObjectLinks.posts(ofObject: id, in: snapshot).compactMap { try snapshot.record(ofPost: $0) }
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

/// An entry of the garbage list, without the parts that cannot be read.
private struct GarbageEntry {
    let blobs: [BlobName]
    /// The attempt that was to write the blobs.
    let attempt: TreeKey?

    init(_ child: TreeChild) {
        blobs = (child.value["blobs"]?.object ?? [:]).values.compactMap(\.stringValue).compactMap { try? BlobName($0) }
        attempt = child.value["attempt"]?.stringValue.flatMap { try? TreeKey($0) }
    }
}
