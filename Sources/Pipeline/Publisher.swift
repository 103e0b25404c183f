import API
package import Access
import Blobs
import Files
import Logging
package import Posts
import Social
import Tree

/// Makes posts and avatars of acknowledged uploads, and deletes posts. (``Rethumb`` changes the renditions that a post names.)
package struct Publisher: Sendable {
    let tree: TreeStore
    let blobs: any BlobStore
    let store: UploadStore
    let renditions: RenditionMaker
    let garbage: GarbageList
    let index: PhotoIndex
    let settings: SharedSettings
    let logger: Logger

    /// The result of a commit.
    private enum Outcome {
        case post
        case duplicate(of: PostID)
        /// The upload had ended before.
        case nothing
    }

    /// Renders and commits an upload, unless it is a duplicate, which would be rendered for nothing.
    ///
    /// - Returns: Whether it is a post now, and no duplicate of one.
    /// - Throws: `Failure`: a permanent failure of the upload, or a transient error.
    func publish(_ record: UploadRecord) async throws -> Bool {
        try record.requireOwner()
        if record.purpose == .post, let post = try await duplicate(record, of: index.entry(of: record)) {
            return try await end(record, asDuplicateOf: post)
        }
        let rendered = try await renditions.render(record)
        switch try await commit(rendered) {
        case .post, .nothing: return true
        case .duplicate(let post): return try await end(record, asDuplicateOf: post)
        }
    }

    /// Commits a rendered upload: the post, its place among the author's posts and in the author's feed, its hashtags,
    /// the author where there was none, and the end of the upload's record, in one multi-path update.
    ///
    /// The author's copy in the post is what `people/` says at the moment of the commit.
    private func commit(_ record: UploadRecord) async throws -> Outcome {
        let leftovers = try await leftovers(of: record)
        return try await tree.transact(at: "ingested-published") { [self] snapshot, update in
            guard let present = try snapshot.upload(record.id), present.state == .ingested else { return .nothing }
            // Nothing brings back who is deleted meanwhile.
            try present.requireOwner()
            if try snapshot.exists(PersonDeletion.job(of: record.owner)) { throw Failure.ownerIsGone(record.id) }
            guard record.purpose == .post else {
                try addAvatar(record, in: snapshot, to: &update)
                try garbage.add(leftovers, to: &update)
                return .post
            }
            // An audience may have gone since the upload began, and so may the right to post for it.
            try snapshot.requirePoster(record.owner, for: record.audiences)
            let entry = try PhotoIndex.entry(of: record, in: snapshot)
            if let post = try duplicate(record, of: entry) { return .duplicate(of: post) }
            try add(record, in: snapshot, to: &update)
            try garbage.add(leftovers, to: &update)
            if let entry, entry.post == nil { update[entry.path] = .string(record.id.description) }
            return .post
        }
    }

    private func add(_ record: UploadRecord, in snapshot: TreeSnapshot, to update: inout MultiPathUpdate) throws {
        var record = record
        record.state = .published
        record.updatedAt = store.now
        record.error = nil
        let (name, picture) = try snapshot.nameAndPicture(of: record.owner)
        let author = Person(
            uid: record.owner, fullName: name ?? record.claims?.name,
            profilePicture: picture ?? (name == nil ? record.claims?.picture : nil))
        let post = Post(
            id: record.id, author: author, text: record.text, mentions: MentionSpan.value(of: record.mentions),
            timestamp: record.updatedAt, photos: record.orderedPhotos.compactMap(\.published),
            clientReference: record.clientReference, audiences: record.audiences)
        try post.write(to: &update)
        if name == nil { author.write(to: &update) }
        for number in record.photos.keys { record.photos[number]?.rendered = nil }  // The post has it now.
        update[Paths.upload(record.id)] = try record.value()
        let isCleanedUp = !store.intakes[record.intake].cleansUpAfterPublication
        update[Paths.queued(record.id)] = isCleanedUp ? nil : QueueEntry(record).value
    }

    /// Makes a rendered upload its owner's picture.
    ///
    /// One that was sent before the present picture, and took longer, is replaced already.
    ///
    /// - Throws: `Failure` `not_found` where the person has gone: a picture does not bring them back.
    private func addAvatar(
        _ record: UploadRecord, in snapshot: TreeSnapshot, to update: inout MultiPathUpdate
    ) throws {
        guard try snapshot.exists(Paths.person(record.owner) / "full_name") else {
            throw Failure.noPersonForAvatar(record.owner)
        }
        guard let rendition = record.photos.values.first?.rendered?.renditions.values.first else {
            throw Failure(.emptyFile, "the picture is missing", hint: "send the photo's bytes")
        }
        var record = record
        record.state = .published
        record.updatedAt = store.now
        record.error = nil
        update[Paths.upload(record.id)] = try record.value()
        update[Paths.queued(record.id)] = nil
        if let present = try snapshot.avatar(of: record.owner), present.key > record.id.key {
            update[Paths.deleted(record.id)] = .integer(record.updatedAt)
        } else {
            let url = MediaAddress.url(record.owner, record.id, rendition.fileName)
            update[Paths.person(record.owner) / "profile_picture"] = .string(url)
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

    /// The post of which an upload is a duplicate that is not to be posted again: by what was asked for with it, else by the
    /// policy of its intake.
    ///
    /// - Throws: `Failure` `duplicate` when duplicates are to be refused.
    private func duplicate(_ record: UploadRecord, of entry: PhotoIndex.Entry?) throws(Failure) -> PostID? {
        let policy = record.duplicates ?? store.intakes[record.intake].duplicatePolicy(for: record.owner)
        guard policy != .newPost, let post = entry?.post else { return nil }
        guard policy == .link else {
            throw Failure(
                .duplicate, "\(record.source ?? "the photo") is what post \(post) shows already",
                hint: "drop it, or let duplicates be posted again (duplicates)")
        }
        return post
    }

    /// - Returns: False, as the upload is no post.
    private func end(_ record: UploadRecord, asDuplicateOf post: PostID) async throws -> Bool {
        try await store.transition(record.id, from: .ingested, to: .duplicate) { $0.duplicateOf = post }
        try await store.cleanUp(record.id)
        return false
    }

    // MARK: Deleting

    /// Deletes a post and every place that names it, in one update: its author's list and feed, its hashtags, its likes and
    /// comments. Durable when it returns; the files go after the grace period.
    ///
    /// - Parameter identity: Who deletes it: its author, or an admin; of a post for audiences whoever owns all of these, too.
    /// - Returns: When its files go, in milliseconds since the epoch.
    /// - Throws: `Failure` with the code `not_found` when there is no such post, `permission_denied` or `not_allowed` when it
    ///   is somebody else's.
    package func deletePost(_ id: PostID, by identity: Identity) async throws -> Int64 {
        try await tree.transact(at: "post-deleted") { snapshot, update in
            guard let path = try snapshot.path(ofPost: id), let post = try snapshot.get(path) else {
                throw Failure(.notFound, "there is no post \(id)", hint: "it may have been deleted already")
            }
            let record = try snapshot.upload(id)
            try Self.judgeDeletion(of: post, by: identity, in: snapshot)
            update[path] = nil
            guard path != Paths.audiencePost(id) else { return }  // No list names it that is not the stories' own.
            for trace in PostTraces(of: id, post: post, owner: record?.owner, text: record?.text).paths {
                update[trace] = nil
            }
        }
        logger.notice("deleted a post", metadata: ["post": "\(id)", "identity": "\(identity)"])
        return store.now + settings.value.gracePeriod.milliseconds
    }

    private static func judgeDeletion(of post: TreeValue, by identity: Identity, in snapshot: TreeSnapshot) throws {
        switch identity {
        case .admin: return
        case .anonymous: throw Failure.permissionDenied(hint: "sign in, and send the token in Authorization")
        case .user(let user):
            if let uid = user.uid, post["author"]?["uid"]?.stringValue == uid { return }
            let audiences = PostAudiences.named(by: post)
            guard let uid = user.uid.flatMap({ UserID($0) }), !audiences.isEmpty,
                try audiences.allSatisfy({ try snapshot.role(of: uid, in: $0) == .owner })
            else { throw Failure.notAllowed("delete what somebody else has posted") }
        }
    }
}
