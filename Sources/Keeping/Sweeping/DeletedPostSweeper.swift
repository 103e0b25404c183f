import API
package import Concurrency
import Files
package import Logging
package import Model
package import Store
package import Tree
package import Uploads

/// Deletes the files of deleted posts, of replaced avatars, and of objects that are gone, when their grace period is over.
///
/// The tree records each deletion in its own transaction, whoever makes it (`deleted/{id}`); files are swept by these
/// records and by nothing else. A post that is merely missing, because the tree was damaged or is an old one, keeps its
/// files.
///
/// Work that makes files of a post ends before these are deleted: what it wrote afterwards would be left behind.
package struct DeletedPostSweeper: Sendable {
    /// The time for which a sweep waits for work on a post; the next sweep meets it again.
    private static let patience = Duration.seconds(1)

    let tree: TreeStore
    let blobs: any BlobStore
    let store: UploadStore
    let settings: SharedSettings
    /// The locks of those who make files of a post (``GarbageList/locks``).
    let locks: KeyedLock<PostID>
    let logger: Logger

    package init(
        tree: TreeStore, blobs: any BlobStore, store: UploadStore, settings: SharedSettings, locks: KeyedLock<PostID>,
        logger: Logger
    ) {
        self.tree = tree
        self.blobs = blobs
        self.store = store
        self.settings = settings
        self.locks = locks
        self.logger = logger
    }

    /// Sweeps what is due. What cannot be deleted now is met again at the next sweep, and keeps nothing else from being
    /// deleted.
    package func sweep() async throws {
        let deadline = store.now - settings.value.gracePeriod
        var range = KeyRange.all
        while true {
            let page = try await tree.children(of: FileNodes.deleted(), range: range, limit: 500)
            for entry in page where entry.value.timestampValue ?? .epoch <= deadline {
                do {
                    try await sweep(entry)
                } catch let error as FileError {
                    logger.warning(
                        "cannot delete the files of a deleted post",
                        metadata: ["post": "\(entry.key)", "fault": "\("\(error)".printable)"])
                }
            }
            guard page.count == 500, let last = page.last else { return }
            range = .after(last.key)
        }
    }

    private func sweep(_ entry: TreeChild) async throws {
        let path = FileNodes.deleted() / entry.key
        guard let id = PostID(entry.key.description) else {
            try await tree.set(path, to: nil)  // A client's own key: nothing of ours is called so.
            return
        }
        do {
            try await locks.withLease(id, within: Self.patience) { try await sweep(entry, of: id) }
        } catch is LeaseTimeout {
            logger.debug("work on a deleted post keeps its files", metadata: ["post": "\(id)"])
        }
    }

    private func sweep(_ entry: TreeChild, of id: PostID) async throws {
        let path = FileNodes.deleted() / entry.key
        if try await tree.get(UploadNodes.queued(id)) != nil { return }  // Something is to be cleaned up first.
        // Its sender may come back, to have it named.
        if try await tree.get(UploadNodes.resumableFile(id)) != nil { return }
        let isKept = try await tree.transact { snapshot, update in
            // It may have been written again in time.
            let isKept = try KeptFiles.areKept(of: id, in: snapshot)
            if isKept { update[path] = nil }
            return isKept
        }.result
        if isKept { return }
        let record = try await store.record(of: id)
        let folder = ObjectFile(try await tree.get(ObjectNodes.file() / entry.key))?.folder
        // Where nobody knows whose the post was, its files are looked for.
        let users =
            if let owner = record?.owner.description ?? folder { [owner] } else { try await blobs.userIDs() }
        for user in users {
            try await blobs.removeAll(userID: user, postID: id.description)
        }
        if let record { try await store.intakes[record.intake].forgetPost(of: record) }
        if try await forget(id, record, entry) {
            logger.info("deleted the files of a post that was deleted", metadata: ["post": "\(id)"])
        }
    }

    /// Notes that the files are gone.
    ///
    /// - Returns: Whether that is so: not where it was written again, or deleted once more, meanwhile.
    private func forget(_ id: PostID, _ record: UploadRecord?, _ entry: TreeChild) async throws -> Bool {
        let path = FileNodes.deleted() / entry.key
        return try await tree.transact(at: "orphan-deleted") { [store] snapshot, update in
            guard try snapshot.get(path) == entry.value, try !KeptFiles.areKept(of: id, in: snapshot) else {
                return false
            }
            update.makesRoom = true
            update[path] = nil
            update[AudienceNodes.restrictedMedia(id.key)] = nil
            update[ObjectNodes.file() / id.key] = nil
            update[ObjectNodes.size() / id.key] = nil
            update[FileNodes.verified(id)] = nil
            // What stands there without a right to the files keeps its own entries.
            if try !snapshot.hasPost(id) {
                for trace in PostTraces(of: id, post: nil, owner: record?.owner, text: record?.text).paths {
                    update[trace] = nil
                }
            }
            guard var record else { return true }
            if let entry = try PhotoIndex.entry(of: record, in: snapshot), entry.value == .string(id.description) {
                update[entry.path] = nil
            }
            record.state = .deleted
            for number in record.photos.keys { record.photos[number]?.files = [:] }
            record.updatedAt = store.now
            update[UploadNodes.upload(id)] = try record.value()
            update[UploadNodes.ended(id)] = record.updatedAt.value
            return true
        }
    }
}
