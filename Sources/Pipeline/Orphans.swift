import Blobs
import Logging
import Posts
import Tree

extension UploadPipeline {
    /// Deletes the blobs of posts that are gone: clients delete a post in the tree, and know nothing of files.
    ///
    /// The blob store is compared with the tree. What has neither a post nor an unfinished upload is noted, and deleted when the
    /// grace period is over, if that is still so then: who saw the post a moment ago still sees its pictures.
    func collectOrphans() async throws {
        let blobs = storage.blobs
        for user in try await onFileThread({ try blobs.userIDs() }) {
            let folders = try await onFileThread { try blobs.postIDs(userID: user) }
            for start in stride(from: 0, to: folders.count, by: 500) {
                let ids = folders[start..<min(start + 500, folders.count)].compactMap { PostID($0) }
                try await note(orphansAmong: ids, of: user)
            }
        }
        try await deleteOrphans()
    }

    private func note(orphansAmong ids: [PostID], of user: String) async throws {
        let orphans = try await tree.snapshot { snapshot in
            try ids.filter { id in
                try !Self.isNeeded(id, in: snapshot) && snapshot.get(Paths.orphan(id)) == nil
            }
        }
        guard !orphans.isEmpty else { return }
        var update = MultiPathUpdate()
        for id in orphans {
            update[Paths.orphan(id)] = [
                "owner": .string(user), "after": .integer(WallClock.milliseconds() + settings.gracePeriod.milliseconds),
            ]
        }
        try await tree.update(update)
    }

    private func deleteOrphans() async throws {
        let now = WallClock.milliseconds()
        var range = KeyRange.all
        while true {
            let page = try await tree.children(of: Paths.orphans, range: range, limit: 500)
            for entry in page where entry.value["after"]?.integerValue ?? 0 <= now {
                try await deleteOrphan(entry)
            }
            guard page.count == 500, let last = page.last else { return }
            range = .after(last.key)
        }
    }

    private func deleteOrphan(_ entry: TreeChild) async throws {
        guard let id = PostID(entry.key.description), let owner = entry.value["owner"]?.stringValue else { return }
        if try await tree.snapshot({ snapshot in try !Self.isNeeded(id, in: snapshot) }) {
            let blobs = storage.blobs
            try await onFileThread { try blobs.removeAll(userID: owner, postID: id.description) }
            logger.info("deleted the files of a post that is gone", metadata: ["post": "\(id)"])
        }
        try await step("orphan-deleted") {
            try await tree.set(Paths.orphan(id), to: nil)
            return true
        }
    }

    /// Whether a post has the id, or an upload on which there is work to do.
    private static func isNeeded(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        if try snapshot.exists(Paths.post(id)) { return true }
        return try snapshot.exists(Paths.queued(id))
    }
}
