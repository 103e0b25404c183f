import API
package import Concurrency
import Files
package import Logging
package import Model
package import Store
package import Tree
package import Uploads

/// Deletes the files of deleted posts, replaced avatars and deleted objects when their grace period is over.
///
/// The tree records each deletion in the transaction that makes it (`deleted/{id}`), and files are deleted only for
/// such a record. A post that is merely missing, because the tree is damaged or old, keeps its files.
///
/// Work that writes files of a post ends before its files are deleted; otherwise the files that it writes later would
/// be left behind.
package struct DeletedPostSweeper: Sendable {
    /// The time for which a sweep waits for work on a post; after that, the post is left to the next sweep.
    private static let patience = Duration.seconds(1)

    let tree: TreeStore
    let blobs: any BlobStore
    let store: UploadStore
    let settings: SharedSettings
    /// The locks that are held while files of a post are written (``GarbageList/locks``).
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

    /// Deletes the files that are due. Files that cannot be deleted now are left to the next sweep, and do not stop the
    /// deletion of others.
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
            try await tree.set(path, to: nil)  // A key that a client has written: no upload has it.
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
        if try await tree.get(UploadNodes.queued(id)) != nil { return }  // The upload must be cleaned up first.
        // The sender may return and complete the file.
        if try await tree.get(UploadNodes.resumableFile(id)) != nil { return }
        let isKept = try await tree.transact { snapshot, update in
            // The post may have been written again in time.
            let isKept = try KeptFiles.areKept(of: id, in: snapshot)
            if isKept { update[path] = nil }
            return isKept
        }.result
        if isKept { return }
        let record = try await store.record(of: id)
        let folder = ObjectFile(try await tree.get(ObjectNodes.file() / entry.key))?.folder
        // If the owner is unknown, the files of all users are searched.
        let users =
            if let owner = record?.owner.description ?? folder { [owner] } else { try await blobs.userIDs() }
        for user in users {
            try await blobs.removeAll(userID: user, postID: id.description)
        }
        if let record { try await store.intakes[record.intake].forgetPost(of: record) }
        if try await forget(id, record, entry) {
            logger.info("deleted the files of a deleted post", metadata: ["post": "\(id)"])
        }
    }

    /// Records that the files are deleted.
    ///
    /// - Returns: False if the post was written again, or deleted once more, in the meantime.
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
            // A node without a right to the files keeps its own entries.
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
