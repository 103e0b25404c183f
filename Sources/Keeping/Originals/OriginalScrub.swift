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

/// Takes the place where photos were taken out of the originals of posts and avatars, for good.
///
/// Photo by photo: the file without the place is written under a new name, one update switches the post's record to it and
/// puts the old file on the garbage list, from which it goes after the grace period. What clients see of a post stays as
/// it is. The record keeps the SHA-256 of what was sent, by which the same photo is found again.
package struct OriginalScrub: PostRunWork {
    package let tools: PostTools
    private let user: UserID?
    private let isCheck: Bool

    /// - Parameters:
    ///   - user: Only this person's posts.
    ///   - isCheck: Whether only to look.
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

    /// The pictures of the people whose photos are looked at, in the order of their ids.
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

    /// Does one post, for its author or an admin: what became of each photo.
    ///
    /// - Throws: `Failure` with the code `not_found` where there is no such post of ours, `permission_denied` or
    ///   `not_allowed` when it is somebody else's, `cannot_scrub` when a photo cannot be followed to its end: the others
    ///   have been done then.
    package func scrub(_ id: PostID, by identity: Identity) async throws -> [ScrubDocument] {
        guard let record = try await published(id) else {
            throw Failure(.notFound, "there is no post \(id) with photos here", hint: "GET /v1/posts lists the newest")
        }
        switch identity {
        case .admin: break
        case .anonymous: throw Failure.permissionDenied(hint: "sign in, and send the token in Authorization")
        case .user(let user):
            guard user.uid == record.owner.description else {
                throw Failure.notAllowed("take the place out of what somebody else has posted")
            }
        }
        return try await tools.garbage.locks.withLease(record.id) {
            // It may have been changed, or deleted, while others had the lock.
            guard let record = try await published(id) else { return [] }
            let (documents, failure) = try await scrub(record)
            if let failure { throw failure }
            return documents
        }
    }

    /// The record of a post or an avatar that is there; nil for what is none, or was written by a client of the database.
    private func published(_ id: PostID) async throws -> UploadRecord? {
        try await tools.tree.snapshot { snapshot in
            guard try snapshot.isShown(id), let record = try ObjectPosts.upload(behindPost: id, in: snapshot),
                record.state == .published
            else { return nil }
            return record
        }
    }

    /// Does the photos of a post; one that cannot be done keeps no other from it.
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
            throw Failure(.changedWhileRead, "\(photo.originalName) was changed meanwhile", hint: "run it again")
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
                .originalMissing, "the original of \(original) is gone from the blob store",
                hint: "restore blobs/\(name) from a backup")
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
    /// The refusal of a photo whose file cannot be followed to its end: nobody knows what is in it.
    package static func cannotScrub(_ error: any Error, about name: String) -> Failure {
        let reason = Failure(error)
        return Failure(
            .cannotScrub, "the place cannot be taken out of \(name): \(reason.message)",
            hint: "only its owner and admins may fetch it, as it is stored (location=keep)")
    }
}
