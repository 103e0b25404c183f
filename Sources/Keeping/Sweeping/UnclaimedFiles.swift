package import API
import Files
package import Logging
package import Model
package import Store
import Synchronization
import Tree
import Uploads

/// The unclaimed files: files in the blob store that no post and no unfinished upload claims, and that no deletion
/// explains. They are deleted only on an operator's command.
///
/// The service does not create any. They appear when the tree is damaged or older than the blob store, and are
/// therefore kept.
package final class UnclaimedFiles: Sendable {
    private let storage: StorageFolder
    private let logger: Logger
    private let lastCount = Mutex<Int?>(nil)

    package init(_ storage: StorageFolder, logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// The number of posts with unclaimed files, at the last search; nil before the first.
    package var count: Int? { lastCount.withLock { $0 } }

    /// Records the count; returns true if it should be logged.
    private func note(_ count: Int) -> Bool {
        lastCount.withLock { last in
            defer { last = count }
            return count > 0 && count != last
        }
    }

    /// Compares the blob store with the tree, and logs unclaimed files. Deletes nothing.
    package func look() async throws {
        var count = 0
        try await forEachUnclaimed { _, _ in count += 1 }
        guard note(count) else { return }
        logger.warning(
            "posts that the tree does not contain, and has not deleted, have files: they are kept",
            metadata: ["posts": "\(count)", "hint": "List them with tintype store unclaimed ls."])
    }

    /// The unclaimed files, by owner and post.
    package func list() async throws -> [UnclaimedDocument] {
        let blobs = storage.blobs
        var found: [UnclaimedDocument] = []
        try await forEachUnclaimed { owner, id in
            let files = try await blobs.files(userID: owner, postID: id.description)
            found.append(
                UnclaimedDocument(
                    owner: owner, post: id.description, files: files.count,
                    bytes: files.reduce(0) { $0 + $1.byteCount }))
        }
        _ = note(found.count)
        return found
    }

    /// Deletes unclaimed files, on an operator's command.
    ///
    /// - Throws: `Failure` `not_found` if there are none, or the files are claimed.
    package func remove(_ id: PostID, of owner: String) async throws {
        let blobs = storage.blobs
        let isThere = try await blobs.postIDs(userID: owner).contains(id.description)
        guard isThere, try await storage.tree.snapshot({ try Self.isUnclaimed(id, of: owner, in: $0) }) else {
            throw Failure(
                .notFound, "there are no unclaimed files of \(owner)/\(id)",
                hint: "List them all with tintype store unclaimed ls."
            )
        }
        try await blobs.removeAll(userID: owner, postID: id.description)
        logger.notice("deleted unclaimed files, as requested", metadata: ["owner": "\(owner)", "post": "\(id)"])
    }

    /// Accepts tree and blobs as one store, on an operator's command, although their ages differ: the clean-up resumes,
    /// and unclaimed files are kept.
    package func acceptAge() async throws {
        guard let mismatch = storage.age.mismatch else { return }
        try await storage.age.accept()
        logger.notice(
            "tree and blobs are accepted as they are, as requested", metadata: ["code": "\(mismatch.code.rawValue)"])
    }

    private func forEachUnclaimed(_ visit: (_ owner: String, PostID) async throws -> Void) async throws {
        var next: BlobWalk? = BlobWalk(.posts)
        while let walk = next {
            let page = try await storage.blobs.page(of: walk, limit: 500)
            let found = try await storage.tree.snapshot { snapshot in
                try page.entries.compactMap { entry in
                    try PostID(entry.postID).flatMap { id in
                        try Self.isUnclaimed(id, of: entry.userID, in: snapshot) ? (entry.userID, id) : nil
                    }
                }
            }
            for (owner, id) in found { try await visit(owner, id) }
            next = page.next
        }
    }

    static func isUnclaimed(
        _ id: PostID, of owner: String, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        if try isNeeded(id, of: owner, in: snapshot) { return false }
        return try !snapshot.exists(FileNodes.deleted(id))
    }

    /// Whether the id belongs to a post, an avatar of the owner, an object, an upload that is not finished, or a photo
    /// that is being rendered.
    private static func isNeeded(
        _ id: PostID, of owner: String, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Bool {
        if try snapshot.hasPost(id) { return true }
        if try snapshot.exists(UploadNodes.queued(id)) { return true }
        // Files that are rendered while their post is deleted become garbage.
        if try snapshot.exists(UploadNodes.attempt(id)) { return true }
        if ObjectFile(try snapshot.get(ObjectNodes.file() / id.key))?.folder == owner { return true }
        guard let owner = UserID(owner) else { return false }
        let picture = try snapshot.nameAndPicture(of: owner).profilePicture.flatMap { MediaAddress($0) }
        return picture?.owner == owner && picture?.id == id
    }
}
