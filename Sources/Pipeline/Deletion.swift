import Blobs
import Logging
package import Posts
import Tree

/// Deleting posts: at once in the tree, after the grace period in the blob store.
///
/// The tree records each deletion in its own transaction, whoever makes it (`deleted/{id}`); files are swept by these
/// records and by nothing else. A post that is merely missing, because the tree was damaged or is an old one, keeps its
/// files.
extension UploadPipeline {
    /// Deletes a post and every place that names it, in one update: its author's list and feed, its hashtags, its likes and
    /// comments. Durable when it returns.
    ///
    /// - Returns: When its files go, in milliseconds since the epoch.
    /// - Throws: `PipelineError` `not_found` when there is no such post.
    package func deletePost(_ id: PostID) async throws -> Int64 {
        while true {
            guard let post = try await tree.get(Paths.post(id)) else {
                throw PipelineError(.notFound, "there is no post \(id)", hint: "it may have been deleted already")
            }
            var update = MultiPathUpdate(preconditions: [
                .equals(Paths.post(id) / "text", post["text"]), .equals(Paths.post(id) / "author", post["author"]),
                .exists(Paths.post(id)),
            ])
            update[Paths.post(id)] = nil
            for trace in Self.traces(of: id, post: post, record: try await record(of: id)) { update[trace] = nil }
            if try await step("post-deleted", { try await apply(update) }) {
                logger.info("deleted a post", metadata: ["post": "\(id)"])
                return WallClock.milliseconds() + settings.gracePeriod.milliseconds
            }
        }
    }

    /// The places that name a post: by what the post says now, which clients may have changed, and by what it was made of.
    private static func traces(of id: PostID, post: TreeValue?, record: UploadRecord?) -> Set<TreePath> {
        var traces: Set<TreePath> = [Paths.comments(id), Paths.likes(id)]
        let author = post?["author"]?["uid"]?.stringValue.flatMap { UserID($0) }
        for user in [author, record?.owner].compactMap({ $0 }) {
            traces.formUnion([Paths.postsOf(user) / id.key, Paths.feed(user) / id.key])
        }
        for text in [post?["text"]?.stringValue, record?.text].compactMap({ $0 }) {
            traces.formUnion(Hashtags.tags(in: text).map { Paths.hashtag($0) / id.key })
        }
        return traces
    }

    /// Deletes the files of posts whose deletion is recorded and whose grace period is over.
    ///
    /// What cannot be deleted now is met again at the next sweep, and keeps nothing else from being deleted.
    func sweepDeleted() async throws {
        let deadline = WallClock.milliseconds() - settings.gracePeriod.milliseconds
        var range = KeyRange.all
        while true {
            let page = try await tree.children(of: Paths.deleted, range: range, limit: 500)
            for entry in page where entry.value.integerValue ?? 0 <= deadline {
                do {
                    try await sweep(entry)
                } catch let error as BlobError {
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
        let path = Paths.deleted / entry.key
        guard let id = PostID(entry.key.description) else {
            try await tree.set(path, to: nil)  // A client's own key: nothing of ours is called so.
            return
        }
        let post = Paths.post(id)
        if try await tree.get(Paths.queued(id)) != nil { return }  // Something is to be put away first.
        guard try await tree.snapshot({ try !$0.exists(post) }) else {
            // It was written again in time.
            try await tree.set(path, to: nil, if: [.exists(post)])
            return
        }
        let record = try await record(of: id)
        try await removeFiles(of: id, owner: record?.owner)
        if let record { try await removeDoneCopy(of: record) }
        var update = MultiPathUpdate(preconditions: [.equals(path, entry.value), .absent(post)])
        update[path] = nil
        for trace in Self.traces(of: id, post: nil, record: record) { update[trace] = nil }
        if var record {
            if let content = try await content(of: record), content.noted == .string(id.description) {
                update[content.path] = nil
            }
            record.state = .deleted
            record.updatedAt = WallClock.milliseconds()
            update[Paths.upload(id)] = try record.value()
            update[Paths.ended / id.key] = .integer(record.updatedAt)
        }
        if try await step("orphan-deleted", { try await apply(update) }) {
            logger.info("deleted the files of a post that was deleted", metadata: ["post": "\(id)"])
        }
    }

    /// Deletes the files of a post; where nobody knows whose it was, it is looked for.
    private func removeFiles(of id: PostID, owner: UserID?) async throws {
        let blobs = storage.blobs
        try await onFileThread {
            for user in try owner.map({ [$0.description] }) ?? blobs.userIDs() {
                try blobs.removeAll(userID: user, postID: id.description)
            }
        }
    }
}
