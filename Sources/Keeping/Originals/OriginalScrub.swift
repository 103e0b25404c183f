package import API
package import Access
import Concurrency
import Cryptography
import Files
import Imaging
package import Model
import Store
import Tree
import Uploads

/// Permanently removes the place where photos were taken from the originals of posts and avatars.
///
/// The job works photo by photo: it writes the file without the place under a new name. Then one update switches the
/// post's record to that file and puts the old file on the garbage list, from which it is deleted after the grace
/// period. The data of a post that clients see does not change. The record keeps the SHA-256 of the bytes that were
/// sent, by which the same photo is found again.
package struct OriginalScrub: PostRunWork {
    package let tools: PostTools
    private let user: UserID?
    private let isCheck: Bool

    /// - Parameters:
    ///   - user: The author whose posts are processed; nil for the posts of all users.
    ///   - isCheck: Whether photos are only examined.
    package init(_ tools: PostTools, user: UserID? = nil, isCheck: Bool) {
        self.tools = tools
        self.user = user
        self.isCheck = isCheck
    }

    package var isLook: Bool { isCheck }

    package func page(after position: PostID?) async throws -> [PostID] {
        let posts = try await PostIDLists.all(of: user).page(after: position, in: tools.tree)
        let avatars = try await avatars().filter { id in position.map { $0 < id } ?? true }
        guard let last = posts.last else { return avatars }
        return (posts + avatars.filter { $0 < last }).sorted()
    }

    package func count() async throws -> Int {
        try await PostIDLists.all(of: user).count(in: tools.tree) + avatars().count
    }

    /// The avatars of the users whose photos are processed, in the order of their ids.
    private func avatars() async throws -> [PostID] {
        var people = user.map { [$0] } ?? []
        if user == nil { people = try await tools.tree.keys(of: PeopleNodes.person()).compactMap { UserID($0.string) } }
        return try await tools.tree.snapshot { [people] snapshot in
            try people.compactMap { uid throws(TreeError) in try Avatars.id(of: uid, in: snapshot) }.sorted()
        }
    }

    package func change(_ id: PostID) async throws -> Bool {
        guard let record = try await published(id) else { return false }
        let (documents, failure) = try await scrub(record)
        if let failure { throw failure }
        return documents.contains { $0.outcome != .clean }
    }

    /// Scrubs one post, for its author or an admin, and returns the result of each photo.
    ///
    /// - Throws: `Failure` with the code `not_found` if the post does not exist or was not uploaded here,
    ///   `permission_denied` or `not_allowed` if it belongs to another user, or `cannot_scrub` if the structure of a
    ///   photo's file cannot be read to its end; the other photos have been scrubbed then.
    package func scrub(_ id: PostID, by identity: Identity) async throws -> [ScrubDocument] {
        guard let record = try await published(id) else {
            throw Failure(
                .notFound, "there is no post \(id) with photos here", hint: "List the newest with GET /v1/posts.")
        }
        switch identity {
        case .admin: break
        case .anonymous: throw Failure.permissionDenied(hint: "Sign in, and send the token in Authorization.")
        case .user(let user):
            guard user.uid == record.owner.description else {
                throw Failure.notAllowed("take the place out of another user's photos")
            }
        }
        return try await tools.garbage.locks.withLease(record.id) {
            // The post may have been changed or deleted while this waited for the lock.
            guard let record = try await published(id) else { return [] }
            let (documents, failure) = try await scrub(record)
            if let failure { throw failure }
            return documents
        }
    }

    /// The record of a published post or an avatar; nil if there is none, or the post was written by a client of the
    /// database.
    private func published(_ id: PostID) async throws -> UploadRecord? {
        try await tools.tree.snapshot { snapshot in
            guard try snapshot.isShown(id), let record = try ObjectPosts.upload(behindPost: id, in: snapshot),
                record.state == .published
            else { return nil }
            return record
        }
    }

    /// Scrubs the photos of a post; a failure of one photo does not stop the others.
    private func scrub(_ record: UploadRecord) async throws -> ([ScrubDocument], Failure?) {
        var documents: [ScrubDocument] = []
        var failure: Failure?
        for (number, photo) in zip(record.photoNumbers, record.orderedPhotos) where photo.droppedAt == nil {
            try Task.checkCancellation()
            do {
                documents.append(try await scrub(photo, number: number, of: record))
            } catch let error as Failure {
                failure = error
            }
        }
        return (documents, failure)
    }

    private func scrub(
        _ photo: UploadRecord.Photo, number: Int, of record: UploadRecord
    ) async throws -> ScrubDocument {
        let old = try record.blobName(photo.fileName)
        let scrubbed = try await read(old, named: photo.originalName)
        let removed = scrubbed.removed.map(\.rawValue).sorted()
        guard !removed.isEmpty, !isCheck else {
            return ScrubDocument(path: "\(old)", outcome: removed.isEmpty ? .clean : .found, removed: removed)
        }
        let suffix = number == 0 ? "" : "-\(number + 1)"
        let hash = sha256(of: scrubbed.bytes)
        let new = try record.blobName(
            "original\(suffix)-scrubbed-\(hash.prefix(16)).\(scrubbed.format.fileExtension)")
        let replacement = OriginalReplacement(tools: tools, id: record.id, number: number, old: old)
        guard try await replacement.run(scrubbed.bytes, as: new, at: "original-scrubbed") else {
            throw Failure(.changedWhileRead, "\(photo.originalName) was changed meanwhile", hint: "Run it again.")
        }
        return ScrubDocument(path: "\(old)", outcome: .scrubbed, removed: removed, file: "\(new)")
    }

    private func read(_ name: BlobName, named original: String) async throws -> ScrubbedImage {
        let settings = tools.settings.limits.maxInputBytes
        let limits = ImageLimits(maxInputBytes: max(settings, ImageLimits().maxInputBytes))
        let file: FileReader
        do throws(FileError) {
            file = try await tools.blobs.open(name)
        } catch {
            guard error.code == .notFound else { throw error }
            throw Failure(
                .originalMissing, "the original of \(original) is missing from the blob store",
                hint: "Restore blobs/\(name) from a backup.")
        }
        return try await FileThreads.run { () throws in
            let bytes = try file.readAll(maxBytes: limits.maxInputBytes)
            do throws(ImageError) {
                return try LocationScrubber.scrub(bytes, limits: limits)
            } catch {
                throw Failure.cannotScrub(error, about: original)
            }
        }
    }
}

extension Failure {
    /// The failure for a photo whose file cannot be read to its end, so that its contents are unknown.
    package static func cannotScrub(_ error: any Error, about name: String) -> Failure {
        let reason = Failure(error)
        return Failure(
            .cannotScrub, "the place cannot be taken out of \(name): \(reason.message)",
            hint: "Fetch it as its owner or an admin, as it is stored (location=keep).")
    }
}
