import API
import Concurrency
import Files
import Imaging
package import Model
import Store
import Tree
package import TreeModel
package import Uploads

/// The batch job that applies a rule to the originals of old posts: drops or re-encodes them.
///
/// The last file of a photo is never dropped: an original is dropped only while its post shows renditions of all
/// recipes with the recorded bytes. A file that is replaced or dropped is kept for the grace period. Photos of the
/// bucket and avatars are not changed.
package struct OriginalRetention: PostRunWork {
    /// The ratio of the re-encoded size to the former size from which re-encoding is not worthwhile.
    private static let worthwhileShare = 0.9

    package let tools: PostTools
    private let rule: OriginalRule?
    private let lists: PostIDLists

    /// - Parameters:
    ///   - rule: The rule to apply; nil to do nothing.
    ///   - user: The author whose posts are processed; nil for the posts of all users.
    ///   - time: The time at which the age of posts is measured.
    package init(_ tools: PostTools, by rule: OriginalRule?, user: UserID? = nil, at time: Timestamp) {
        (self.tools, self.rule) = (tools, rule)
        var lists = PostIDLists.all(of: user)
        lists.until = rule?.deadline(at: time) ?? .epoch
        self.lists = lists
    }

    package func page(after position: PostID?) async throws -> [PostID] {
        try await lists.page(after: position, in: tools.tree)
    }

    package func count() async throws -> Int { try await lists.count(in: tools.tree) }

    package func change(_ id: PostID) async throws -> Bool {
        guard let rule, let post = try await OriginalPost(id, in: tools) else { return false }
        var isChanged = false
        for index in post.record.photoNumbers.indices {
            try Task.checkCancellation()
            guard try await post.obstacle(to: rule.action, ofPhoto: index, readsFiles: true) == nil else { continue }
            let isDone =
                switch rule.action {
                case .reencode(let quality): try await reencode(index, of: post, quality)
                case .drop: try await drop(index, of: post)
                }
            isChanged = isChanged || isDone
        }
        return isChanged
    }

    // MARK: Re-encoding

    /// Encodes an original as an upright JPEG with the same pixels and the EXIF data that it had.
    ///
    /// - Returns: Nil if that saves too little.
    func encoded(_ photo: UploadRecord.Photo, of record: UploadRecord, quality: Int) async throws -> [UInt8]? {
        let recipe = try Recipe(
            name: "original", fit: .inside, width: Recipe.maxSide, height: Recipe.maxSide, quality: quality)
        let name = try record.blobName(photo.fileName)
        let image = try await tools.scheduler.render(
            recipes: [recipe], limits: tools.settings.limits, priority: .batch, for: record.owner.description,
            of: (record.id.string, photo.fileByteCount)
        ) { try await tools.blobs.open(name) }
        guard let rendition = image.renditions.first, rendition.size == image.header.size else { return nil }
        let sent = try await read(name)
        let bytes = CarriedEXIF.carry(from: sent, to: rendition.bytes)
        guard Double(bytes.count) < Self.worthwhileShare * Double(photo.fileByteCount)
        else { return nil }
        return bytes
    }

    private func read(_ name: BlobName) async throws -> [UInt8] {
        let limit = max(tools.settings.limits.maxInputBytes, ImageLimits().maxInputBytes)
        let file = try await tools.blobs.open(name)
        return try await FileThreads.run { () throws(FileError) in try file.readAll(maxBytes: limit) }
    }

    private func reencode(_ index: Int, of post: OriginalPost, _ quality: Int) async throws -> Bool {
        let (record, number) = (post.record, post.record.photoNumbers[index])
        guard let photo = record.photos[number] else { return false }
        let old = try record.blobName(photo.fileName)
        try await requireSound(photo, old)
        guard let encoded = try await encoded(photo, of: record, quality: quality) else {
            try await note(Reencoding(quality: quality, source: nil), of: photo, number, record.id)
            return false
        }
        let suffix = number == 0 ? "" : "-\(number + 1)"
        let new = try record.blobName("original\(suffix)-q\(quality)-\(RenditionAttempt()).jpg")
        let replacement = OriginalReplacement(tools: tools, id: record.id, number: number, old: old)
        let isDone = try await replacement.run(encoded, as: new, at: "original-reencoded") { photo in
            photo.reencoding = Reencoding(quality: quality, source: photo.fileSHA256)
        }
        guard isDone else {
            throw Failure(.changedWhileRead, "\(photo.originalName) was changed meanwhile", hint: "Run it again.")
        }
        return true
    }

    /// Checks that an original is undamaged. A damaged one must be restored from a backup, which finds it by its hash.
    ///
    /// - Throws: `Failure` `original_missing` or `original_damaged`.
    private func requireSound(_ photo: UploadRecord.Photo, _ name: BlobName) async throws {
        let hint = "Put blobs/\(name) back from a backup. List all damage with tintype store verify."
        let isSound: Bool
        do {
            let file = try await tools.blobs.open(name)
            isSound = try await FileDigest.sha256(photo.fileSHA256).matches(file, at: RateLimiter(perSecond: nil))
        } catch let error as FileError where error.code == .notFound {
            throw Failure(.originalMissing, "the original of \(photo.originalName) is missing", hint: hint)
        }
        guard isSound else {
            throw Failure(.originalDamaged, "the original of \(photo.originalName) is damaged", hint: hint)
        }
    }

    /// Records that an original stays as it is, so that the next run does not try it again.
    private func note(
        _ reencoding: Reencoding, of photo: UploadRecord.Photo, _ number: Int, _ id: PostID
    ) async throws {
        let path = UploadNodes.photo(number, of: id)
        var update = MultiPathUpdate(preconditions: [.equals(path / "file_name", .string(photo.fileName))])
        update[path / "reencoded"] = .string(reencoding.text)
        _ = try await tools.tree.updateIfPossible(update)
    }

    // MARK: Dropping

    private func drop(_ index: Int, of post: OriginalPost) async throws -> Bool {
        let (id, number, now) = (post.record.id, post.record.photoNumbers[index], tools.now)
        return try await tools.tree.transact(at: "original-dropped") { [tools] snapshot, update in
            guard var record = try snapshot.upload(id), var photo = record.photos[number],
                photo == post.record.photos[number], try snapshot.get(post.path / "photos") == post.photos
            else { return false }
            photo.drop(at: now)
            record.photos[number] = photo
            update[UploadNodes.upload(id)] = try record.value()
            try tools.garbage.add([try record.blobName(photo.fileName)], to: &update)
            return true
        }
    }
}

extension UploadRecord.Photo {
    /// Marks the original as dropped; the data about its file is kept until the file is deleted.
    fileprivate mutating func drop(at time: Timestamp) {
        files[fileName] = formerFile
        droppedAt = time
    }
}
