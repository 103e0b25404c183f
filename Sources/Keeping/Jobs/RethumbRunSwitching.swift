import API
import Model
import Social
import Store
import Tree
import Uploads

/// Makes posts show the renditions that a run has made, post by post, each in one update. The former renditions are
/// deleted after the grace period.
struct RethumbRunSwitch: PostRunWork {
    let tools: PostTools
    let rethumbRun: RethumbRun

    func page(after position: PostID?) async throws -> [PostID] {
        try await rethumbRun.posts.page(after: position, in: tools.tree)
    }

    func count() async throws -> Int { try await rethumbRun.posts.count(in: tools.tree) }

    func change(_ id: PostID) async throws -> Bool {
        let made: TreeValue
        switch try await rethumbRun.entry(of: id, in: tools.tree) {
        case .after(let photos): made = photos
        case .before: return true  // Switched before an interruption.
        case .done, nil: return false
        }
        guard let post = try await RethumbRunPost(id, in: tools), post.fits(made) else {
            // The post was deleted or changed in the meantime: the new renditions are useless.
            try await drop(made, of: id)
            return false
        }
        var update = try post.update(showing: made)
        let garbage = try tools.garbage.add(post.files(besides: made), to: &update)
        rethumbRun.noteSwitch(of: id, from: post.photos, garbage: garbage, in: &update)
        guard try await tools.tree.commit(update, at: "switch") else { throw PostChanged() }
        return true
    }

    private func drop(_ made: TreeValue, of id: PostID) async throws {
        var update = MultiPathUpdate()
        if let record = try await tools.tree.snapshot({ try ObjectPosts.upload(behindPost: id, in: $0) }) {
            try tools.garbage.add(made.fileNames.sorted().map { try record.blobName($0) }, to: &update)
        }
        rethumbRun.forget(id, in: &update)
        try await tools.tree.update(update)
    }
}

/// Makes posts show the renditions from before a run again, if their files still exist, and deletes renditions of the
/// run that were never shown.
struct RethumbRunRollback: PostRunWork {
    let tools: PostTools
    let rethumbRun: RethumbRun

    func page(after position: PostID?) async throws -> [PostID] {
        try await rethumbRun.posts.page(after: position, in: tools.tree)
    }

    func count() async throws -> Int { try await rethumbRun.posts.count(in: tools.tree) }

    /// - Throws: `Failure` `original_missing` if the former files of the post are gone; the post does not change.
    func change(_ id: PostID) async throws -> Bool {
        let post = try await RethumbRunPost(id, in: tools)
        switch try await rethumbRun.entry(of: id, in: tools.tree) {
        case nil: return false
        case .done: return false
        case .after(let made):
            var update = MultiPathUpdate()
            if let record = try await tools.tree.snapshot({ try ObjectPosts.upload(behindPost: id, in: $0) }) {
                let unseen = made.fileNames.subtracting(post?.photos?.fileNames ?? [])
                try tools.garbage.add(unseen.sorted().map { try record.blobName($0) }, to: &update)
            }
            rethumbRun.forget(id, in: &update)
            try await tools.tree.update(update)
            return false
        case .before(let former, let garbage):
            guard let post, post.fits(former) else {
                var update = MultiPathUpdate()
                rethumbRun.forget(id, in: &update)
                try await tools.tree.update(update)
                return false
            }
            let there = try await tools.blobs.fileNames(
                userID: post.record.owner.description, postID: post.record.id.description)
            guard former.fileNames.isSubset(of: there) else {
                throw Failure(
                    .notFound, "the former renditions are gone",
                    hint:
                        "Render the post again by the former recipes. The former renditions stay only for grace-period."
                )
            }
            var update = try post.update(showing: former)
            // Files that are shown again get a full grace period when they are replaced the next time.
            if let garbage { update[FileNodes.garbage() / garbage] = nil }
            try tools.garbage.add(post.files(besides: former), to: &update)
            rethumbRun.forget(id, in: &update)
            guard try await tools.tree.commit(update, at: "switch") else { throw PostChanged() }
            return true
        }
    }
}

/// A post whose renditions are replaced.
private struct RethumbRunPost {
    let path: TreePath
    let record: UploadRecord
    let photos: TreeValue?
    private let shown: [PhotoRecord]
    private let base: PublicBase?

    /// - Returns: Nil if the post does not exist, or its photos cannot be read.
    init?(_ id: PostID, in tools: PostTools) async throws {
        guard let path = try await tools.tree.snapshot({ try $0.path(ofPost: id) }),
            let post = try await tools.tree.get(path), let shown = PostPhotos.read(post),
            let record = try await tools.tree.snapshot({ try ObjectPosts.upload(behindPost: id, in: $0) }),
            record.purpose != .object
        else { return nil }
        (self.path, self.record, self.shown) = (path, record, shown)
        photos = post["photos"]
        base = tools.publicBase
    }

    /// Whether the other value has the same photos, with the same blurring.
    func fits(_ other: TreeValue) -> Bool {
        guard let others = arranged(other) else { return false }
        return zip(others, shown).allSatisfy { $0.isBlurred == $1.isBlurred }
    }

    /// Returns the photos of the other value in the post's present order, which an edit may have changed since; nil if
    /// they are other photos.
    private func arranged(_ other: TreeValue) -> [PhotoRecord]? {
        guard let others = PostPhotos.read(.object(["photos": other])), others.count == shown.count else { return nil }
        let byNumber = Dictionary(zip(others.numbers, others)) { first, _ in first }
        let arranged = shown.numbers.compactMap { byNumber[$0] }
        return arranged.count == shown.count ? arranged : nil
    }

    /// Creates the update that makes the post show these photos, in its present order and with its present alternative
    /// texts; it has no effect if the post changes in the meantime.
    func update(showing other: TreeValue) throws -> MultiPathUpdate {
        var others = arranged(other) ?? []
        for (index, photo) in shown.enumerated() where index < others.count {
            (others[index].alt, others[index].number) = (photo.alt, photo.number)
        }
        var update = MultiPathUpdate(preconditions: [.equals(path / "photos", photos)])
        // New renditions are no news to the users whom the post mentions.
        update.scope = .repair
        let fields = try PostPhotos(others).fields(owner: record.owner, post: record.id, at: base)
        for (name, value) in fields { update[path / name] = value }
        return update
    }

    /// The files that the post shows now and the other value does not name.
    func files(besides other: TreeValue) throws -> [BlobName] {
        let originals = record.photos.values.map(\.fileName)
        let files = (photos?.fileNames ?? []).subtracting(other.fileNames).subtracting(originals)
        return try files.sorted().map { try record.blobName($0) }
    }
}
