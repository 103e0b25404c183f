import Blobs
import Posts
import Tree

extension UploadPipeline {
    /// Publishes a rendered upload: the post, its place among the author's posts and in the author's feed, its hashtags,
    /// the author where there was none, and the end of the upload's record, in one multi-path update.
    ///
    /// The author's copy in the post is what `people/` says at that moment: a name that changes in between is a failed
    /// precondition, and the update is made anew. So is it when another upload of the same bytes comes first.
    ///
    /// - Returns: Whether it is a post now, and no duplicate of one.
    /// - Throws: `PipelineError` `conflict`, a passing fault, when the preconditions fail again and again.
    func commit(_ record: UploadRecord) async throws -> Bool {
        let leftovers = try await leftovers(of: record)
        for _ in 0..<Self.commitTries {
            let content = try await content(of: record)
            if try await endDuplicate(record, of: content) { return false }
            let (name, picture) = try await nameAndPicture(of: record.owner)
            var record = record
            record.state = .published
            record.updatedAt = WallClock.milliseconds()
            record.error = nil
            let author = Person(
                uid: record.owner, fullName: name?.stringValue, profilePicture: picture?.stringValue)
            let post = Post(
                id: record.id, author: author, text: record.text, timestamp: record.updatedAt,
                photos: record.orderedPhotos.compactMap(\.published), clientReference: record.clientReference)
            var update = MultiPathUpdate()
            try post.write(to: &update)
            if name?.stringValue == nil { author.write(to: &update) }
            for number in record.photos.keys { record.photos[number]?.rendered = nil }  // The post has it now.
            try discard(leftovers, in: &update)
            update[Paths.upload(record.id)] = try record.value()
            update[Paths.queued(record.id)] = record.intake == .inbox ? QueueEntry(record).value : nil
            update.preconditions = [
                .equals(Paths.upload(record.id) / "state", .string(UploadState.ingested.rawValue)),
                .equals(Paths.person(record.owner) / "full_name", name),
                .equals(Paths.person(record.owner) / "profile_picture", picture),
            ]
            if let content, content.post == nil {
                update[content.path] = .string(record.id.description)
                update.preconditions.append(.equals(content.path, content.noted))
            }
            if try await step("ingested-published", { try await apply(update) }) { return true }
            guard try await self.record(of: record.id)?.state == .ingested else { return true }
        }
        throw PipelineError(
            .conflict, "what people/\(record.owner) says changes faster than a post can be committed",
            hint: "it is tried again", isTransient: true)
    }

    /// How often a commit is made anew at once; then the upload waits, and its worker goes on with another.
    private static let commitTries = 50

    /// What `people/` says, be it what it may: clients write there.
    private func nameAndPicture(of user: UserID) async throws -> (name: TreeValue?, picture: TreeValue?) {
        try await tree.snapshot { snapshot in
            let person = Paths.person(user)
            return (try snapshot.get(person / "full_name"), try snapshot.get(person / "profile_picture"))
        }
    }

    /// Renditions that an earlier try made by other recipes, before the service was started with these.
    private func leftovers(of record: UploadRecord) async throws -> [BlobName] {
        let blobs = storage.blobs
        let names = try await onFileThread {
            try blobs.fileNames(userID: record.owner.description, postID: record.id.description)
        }
        let kept = record.photos.values.flatMap { photo in
            [photo.fileName] + (photo.rendered?.renditions.values.map(\.fileName) ?? [])
        }
        return try Set(names).subtracting(kept).sorted().map { try record.blobName($0) }
    }
}
