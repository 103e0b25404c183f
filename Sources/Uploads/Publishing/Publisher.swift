import API
import Files
package import Logging
package import Model
import ServiceLifecycle
import Social
package import Store
package import Tree

/// Publishes acknowledged uploads as posts and avatars. (``Rethumb`` changes the renditions of a post.)
package struct Publisher: Sendable {
    let tree: TreeStore
    let blobs: any BlobStore
    let store: UploadStore
    let renditions: RenditionMaker
    let garbage: GarbageList
    let index: PhotoIndex
    let settings: SharedSettings
    /// The address at which apps reach the service; nil for addresses without a host.
    let publicBase: PublicBase?
    /// The moderator of posts before publication; nil for none.
    let moderator: Moderator?
    package let logger: Logger

    package init(
        tree: TreeStore, blobs: any BlobStore, store: UploadStore, renditions: RenditionMaker, garbage: GarbageList,
        index: PhotoIndex, settings: SharedSettings, publicBase: PublicBase?, moderator: Moderator?, logger: Logger
    ) {
        self.tree = tree
        self.blobs = blobs
        self.store = store
        self.renditions = renditions
        self.garbage = garbage
        self.index = index
        self.settings = settings
        self.publicBase = publicBase
        self.moderator = moderator
        self.logger = logger
    }

    /// The result of a commit.
    private enum Outcome {
        case post
        case duplicate(of: PostID)
        /// The upload had ended before.
        case nothing
    }

    /// The result of an upload.
    enum End { case post, duplicate }

    /// The stage of an upload.
    enum Progress {
        /// The upload is rendered, and waits for ``moderate(_:)``.
        case unmoderated
        /// The upload waits for ``publish(_:)``.
        case rendered(UploadRecord)
        case ended(End)
    }

    /// Renders an upload, unless it is a duplicate, whose renditions would not be used.
    ///
    /// - Throws: `Failure`: a permanent failure of the upload, or a transient error.
    func render(_ record: UploadRecord) async throws -> Progress {
        try record.requireOwner()
        if record.purpose == .post, let post = try await duplicate(record, of: index.entry(of: record)) {
            return .ended(try await end(record, asDuplicateOf: post))
        }
        let rendered = try await store.metrics.take(.render) { try await renditions.render(record) }
        guard moderator != nil else { return .rendered(rendered) }
        try await keepRenditions(of: rendered)
        return .unmoderated
    }

    /// Requests the moderator's decision about a rendered upload and applies it: the renditions stay, or are replaced
    /// by blurred ones.
    ///
    /// The decision is not stored before the commit: after a crash the request is repeated.
    ///
    /// - Throws: `Failure`: `moderation_refused`, or a transient error. Nothing is published then.
    func moderate(_ record: UploadRecord) async throws -> Progress {
        guard let moderator else { return .rendered(record) }
        let (verdict, photos) = try await cancelWhenGracefulShutdown { [blobs] in
            try await moderator.verdict(on: record, from: blobs)
        }
        var record = record
        record.moderation = Moderation(verdict, at: store.now)
        // A text cannot be blurred.
        let isRefused =
            verdict.decision == .refuse || photos.contains(.refuse) || photos.isEmpty && verdict.decision == .blur
        guard !isRefused else {
            if record.purpose == .object { try await withdrawObject(of: record.id) }
            throw Failure.refusedByModeration(verdict)
        }
        for (number, decision) in zip(record.photoNumbers, photos) where decision == .blur {
            record.photos[number]?.isBlurred = true
            record.photos[number]?.rendered = nil
        }
        return .rendered(try await store.metrics.take(.render) { [record] in try await renditions.render(record) })
    }

    /// Deletes the object whose photo must not be shown, if it still exists.
    private func withdrawObject(of id: PostID) async throws {
        try await tree.transact(at: "object-refused") { [store] snapshot, update in
            try Self.withdrawObject(of: id, at: store.now, in: snapshot, &update)
        }
    }

    static func withdrawObject(
        of id: PostID, at now: Timestamp, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        guard let file = ObjectFile(try snapshot.get(ObjectNodes.file() / id.key)) else { return }
        if try snapshot.hasObject(withFile: id.key) { update[ObjectKey.path(file.name)] = nil }
        update[FileNodes.deleted(id)] = now.value
    }

    /// Stores the renditions of an upload that is not published yet, so that they are not rendered again.
    private func keepRenditions(of record: UploadRecord) async throws {
        try await tree.transact(at: "rendered") { snapshot, update in
            guard let present = try snapshot.upload(record.id), present.state == .ingested else { return }
            for (number, photo) in record.photos where present.photos[number]?.rendered == nil {
                guard present.photos[number] != nil, let rendered = photo.rendered else { continue }
                let path = UploadNodes.photo(number, of: record.id)
                update[path / "rendered"] = try rendered.value(owner: record.owner, post: record.id)
                update[path / "files"] = try photo.files.value()
            }
        }
    }

    /// Commits a rendered upload, or ends it as a duplicate.
    ///
    /// - Throws: `Failure`: a permanent failure of the upload, or a transient error.
    func publish(_ record: UploadRecord) async throws -> End {
        let end =
            switch try await store.metrics.take(.commit, { try await commit(record) }) {
            case .post, .nothing: End.post
            case .duplicate(let post): try await self.end(record, asDuplicateOf: post)
            }
        // Unblurred renditions are deleted now; a failure to delete them is repeated at the next sweep.
        if record.photos.values.contains(where: \.isBlurred) { try? await garbage.collect() }
        return end
    }

    /// Commits a rendered upload: the post, its entries in the author's posts and feed, its hashtags, the author if
    /// they did not exist, and the end of the upload's record, in one multi-path update.
    ///
    /// The author's data in the post are a copy of those in `people/` at the time of the commit.
    private func commit(_ record: UploadRecord) async throws -> Outcome {
        let leftovers = try await leftovers(of: record)
        return try await tree.transact(at: "ingested-published") { [self] snapshot, update in
            guard let present = try snapshot.upload(record.id), present.state == .ingested else { return .nothing }
            // A user who has been deleted meanwhile must not be created again.
            try present.requireOwner()
            if try snapshot.exists(PersonDeletion.task(of: record.owner)) { throw Failure.ownerIsGone(record.id) }
            try snapshot.requireConsent(of: record.owner, toContent: record.purpose == .post)
            try garbage.add(leftovers, to: &update, isAtOnce: true)
            switch record.purpose {
            case .post: break
            case .draftPhoto: return .nothing  // It is never published: its draft is.
            case .avatar:
                try addAvatar(record, in: snapshot, to: &update)
                return .post
            case .object:
                try addObject(record, in: snapshot, to: &update)
                return .post
            }
            // An audience may have been deleted since the upload began, or the right to post for it withdrawn.
            try snapshot.requirePoster(record.owner, for: record.audiences)
            let entry = try PhotoIndex.entry(of: record, in: snapshot)
            if let post = try duplicate(record, of: entry) { return .duplicate(of: post) }
            try add(record, isRepeated: entry?.post != nil, in: snapshot, to: &update)
            if let entry, entry.post == nil { update[entry.path] = .string(record.id.description) }
            return .post
        }
    }

    /// - Parameter isRepeated: Whether the photo index refers to an earlier post with the same photos, which it keeps.
    private func add(
        _ record: UploadRecord, isRepeated: Bool, in snapshot: TreeSnapshot, to update: inout MultiPathUpdate
    ) throws {
        var record = record
        if isRepeated { record.duplicates = .newPost }
        record.state = .published
        record.updatedAt = store.now
        record.error = nil
        let (name, picture) = try snapshot.nameAndPicture(of: record.owner)
        let author = Person(
            uid: record.owner, fullName: name ?? record.claims?.name,
            profilePicture: picture ?? (name == nil ? record.claims?.picture : nil))
        let post = Post(
            id: record.id, author: author, text: record.text, mentions: MentionSpan.value(of: record.mentions),
            timestamp: record.updatedAt,
            clientTimestamp: record.clientTimestamp, photos: record.orderedPhotos.compactMap(\.published),
            clientReference: record.clientReference, audiences: record.audiences)
        try post.write(to: &update, at: publicBase)
        if name == nil { author.write(to: &update) }
        for number in record.photos.keys { record.photos[number]?.rendered = nil }  // The post has the renditions now.
        update[UploadNodes.upload(record.id)] = try record.value()
        let isCleanedUp = !store.intakes[record.intake].cleansUpAfterPublication
        update[UploadNodes.queued(record.id)] = isCleanedUp ? nil : QueueEntry(record).value
    }

    /// Publishes a rendered upload as its owner's picture.
    ///
    /// An upload that was begun before the current picture, and took longer, is already replaced.
    ///
    /// - Throws: `Failure` `not_found` if the person has been deleted: a picture does not create them again.
    private func addAvatar(
        _ record: UploadRecord, in snapshot: TreeSnapshot, to update: inout MultiPathUpdate
    ) throws {
        guard try snapshot.exists(PeopleNodes.person(record.owner) / "full_name") else {
            throw Failure.noPersonForAvatar(record.owner)
        }
        guard let rendition = record.photos.values.first?.rendered?.renditions.values.first else {
            throw Failure(.emptyFile, "the picture is missing", hint: "Send the photo's bytes.")
        }
        var record = record
        record.state = .published
        record.updatedAt = store.now
        record.error = nil
        update[UploadNodes.upload(record.id)] = try record.value()
        update[UploadNodes.queued(record.id)] = nil
        if let present = try Avatars.id(of: record.owner, in: snapshot), present.key > record.id.key {
            update[FileNodes.deleted(record.id)] = record.updatedAt.value
        } else {
            let url = MediaAddress.url(record.owner, record.id, rendition.fileName, at: publicBase)
            update[PeopleNodes.person(record.owner) / "profile_picture"] = .string(url)
        }
    }

    /// Adds the photo of an object, which has now been rendered, to the posts that show it.
    private func addObject(
        _ record: UploadRecord, in snapshot: TreeSnapshot, to update: inout MultiPathUpdate
    ) throws {
        var record = record
        record.state = .published
        record.updatedAt = store.now
        record.error = nil
        update[UploadNodes.upload(record.id)] = try record.value()
        update[UploadNodes.queued(record.id)] = nil
        // The photo must not notify the people whom a post mentions.
        update.scope = .repair
        for id in try ObjectLinks.posts(ofObject: record.id, in: snapshot) where try snapshot.exists(PostNodes.post(id))
        {
            for (path, value) in try ObjectPosts.fields(ofPost: id, with: record, at: publicBase, in: snapshot) {
                update[path] = value
            }
        }
    }

    /// Returns the renditions of an earlier attempt, which nobody has seen.
    private func leftovers(of record: UploadRecord) async throws -> [BlobName] {
        let names = try await blobs.fileNames(userID: record.owner.description, postID: record.id.description)
        let kept = record.photos.values.flatMap { photo in
            [photo.fileName] + (photo.rendered?.renditions.values.map(\.fileName) ?? [])
        }
        return try Set(names).subtracting(kept).sorted().map { try record.blobName($0) }
    }

    /// Returns the post of which an upload is a duplicate that must not be posted again, according to the request, or
    /// else to the policy of its intake.
    ///
    /// - Throws: `Failure` `duplicate` if duplicates must be refused.
    private func duplicate(_ record: UploadRecord, of entry: PhotoIndex.Entry?) throws(Failure) -> PostID? {
        let policy = record.duplicates ?? store.intakes[record.intake].duplicatePolicy(for: record.owner)
        guard policy != .newPost, let post = entry?.post else { return nil }
        guard policy == .link else {
            throw Failure(
                .duplicate, "\(record.source ?? "the photo") is already shown by post \(post)",
                hint: "Delete it, or allow duplicates to be posted again (duplicates).")
        }
        return post
    }

    private func end(_ record: UploadRecord, asDuplicateOf post: PostID) async throws -> End {
        try await store.transition(record.id, from: .ingested, to: .duplicate) { $0.duplicateOf = post }
        try await store.cleanUp(record.id)
        return .duplicate
    }
}
