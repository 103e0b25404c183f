import Blobs
import Files
import Logging
package import Posts
import Tree

/// Makes posts of acknowledged uploads, and deletes posts: the writer of `posts/`, `people/` and `feed/` on our side.
package struct Publisher: Sendable {
    /// How often a commit is made anew at once; then the upload waits, and its worker goes on with another.
    private static let commitTries = 50

    let tree: TreeStore
    let blobs: any BlobStore
    let store: UploadStore
    let renditions: RenditionMaker
    let garbage: GarbageList
    let index: PhotoIndex
    let settings: SharedSettings
    let logger: Logger

    /// Renders and commits an upload, unless it is a duplicate, which would be rendered for nothing.
    ///
    /// - Returns: Whether it is a post now, and no duplicate of one.
    /// - Throws: `PipelineError`: a permanent failure of the upload, or a transient error.
    func publish(_ record: UploadRecord) async throws -> Bool {
        if try await endDuplicate(record, of: index.entry(of: record)) { return false }
        return try await commit(renditions.render(record))
    }

    /// Commits a rendered upload: the post, its place among the author's posts and in the author's feed, its hashtags,
    /// the author where there was none, and the end of the upload's record, in one multi-path update.
    ///
    /// The author's copy in the post is what `people/` says at that moment: a name that changes in between is a failed
    /// precondition, and the update is made anew. So is it when another upload of the same bytes comes first.
    ///
    /// - Throws: `PipelineError` `conflict`, a transient error, when the preconditions fail again and again.
    private func commit(_ record: UploadRecord) async throws -> Bool {
        let leftovers = try await leftovers(of: record)
        for _ in 0..<Self.commitTries {
            let entry = try await index.entry(of: record)
            if try await endDuplicate(record, of: entry) { return false }
            let update = try await update(for: record, entry, discarding: leftovers)
            if try await tree.commit(update, at: "ingested-published") { return true }
            guard try await store.record(of: record.id)?.state == .ingested else { return true }
        }
        throw PipelineError(
            .conflict, "what people/\(record.owner) says changes faster than a post can be committed",
            hint: "it is tried again", isTransient: true)
    }

    private func update(
        for record: UploadRecord, _ entry: PhotoIndex.Entry?, discarding leftovers: [BlobName]
    ) async throws -> MultiPathUpdate {
        let (name, picture) = try await nameAndPicture(of: record.owner)
        var record = record
        record.state = .published
        record.updatedAt = WallClock.milliseconds()
        record.error = nil
        let author = Person(uid: record.owner, fullName: name?.stringValue, profilePicture: picture?.stringValue)
        let post = Post(
            id: record.id, author: author, text: record.text, timestamp: record.updatedAt,
            photos: record.orderedPhotos.compactMap(\.published), clientReference: record.clientReference)
        var update = MultiPathUpdate()
        try post.write(to: &update)
        if name?.stringValue == nil { author.write(to: &update) }
        for number in record.photos.keys { record.photos[number]?.rendered = nil }  // The post has it now.
        try garbage.add(leftovers, to: &update)
        update[Paths.upload(record.id)] = try record.value()
        let isCleanedUp = !store.intakes[record.intake].cleansUpAfterPublication
        update[Paths.queued(record.id)] = isCleanedUp ? nil : QueueEntry(record).value
        update.preconditions = [
            .equals(Paths.upload(record.id) / "state", .string(UploadState.ingested.rawValue)),
            .equals(Paths.person(record.owner) / "full_name", name),
            .equals(Paths.person(record.owner) / "profile_picture", picture),
        ]
        if let entry, entry.post == nil {
            update[entry.path] = .string(record.id.description)
            update.preconditions.append(.equals(entry.path, entry.value))
        }
        return update
    }

    /// What `people/` says, whatever it is: clients write there.
    private func nameAndPicture(of user: UserID) async throws -> (name: TreeValue?, picture: TreeValue?) {
        try await tree.snapshot { snapshot in
            let person = Paths.person(user)
            return (try snapshot.get(person / "full_name"), try snapshot.get(person / "profile_picture"))
        }
    }

    /// The renditions that an earlier try made by other recipes, before the service was started with these.
    private func leftovers(of record: UploadRecord) async throws -> [BlobName] {
        let names = try await blobs.fileNames(userID: record.owner.description, postID: record.id.description)
        let kept = record.photos.values.flatMap { photo in
            [photo.fileName] + (photo.rendered?.renditions.values.map(\.fileName) ?? [])
        }
        return try Set(names).subtracting(kept).sorted().map { try record.blobName($0) }
    }

    /// Ends an upload that is a duplicate: by what was asked for with it, else by the policy of its intake.
    ///
    /// - Returns: Whether it was one; otherwise nothing was done.
    private func endDuplicate(_ record: UploadRecord, of entry: PhotoIndex.Entry?) async throws -> Bool {
        let policy = record.duplicates ?? store.intakes[record.intake].duplicatePolicy(for: record.owner)
        guard policy != .newPost, let post = entry?.post else { return false }
        guard policy == .link else {
            throw PipelineError(
                .duplicate, "\(record.source ?? "the photo") is what post \(post) shows already",
                hint: "drop it, or let duplicates be posted again (duplicates)")
        }
        try await store.transition(record.id, from: .ingested, to: .duplicate) { $0.duplicateOf = post }
        try await store.cleanUp(record.id)
        return true
    }

    // MARK: Deleting

    /// Deletes a post and every place that names it, in one update: its author's list and feed, its hashtags, its likes and
    /// comments. Durable when it returns; the files go after the grace period.
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
            let record = try await store.record(of: id)
            for trace in PostTraces(of: id, post: post, owner: record?.owner, text: record?.text).paths {
                update[trace] = nil
            }
            if try await tree.commit(update, at: "post-deleted") {
                logger.info("deleted a post", metadata: ["post": "\(id)"])
                return WallClock.milliseconds() + settings.value.gracePeriod.milliseconds
            }
        }
    }
}
