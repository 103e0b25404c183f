package import API
import Access
import Cryptography
import Files
import Imaging
import Model
import Social
package import Store
package import Tree
package import TreeModel

/// The objects of the bucket: names, what clients say of them, and bytes.
///
///     objects/{name}       the record (``StoredObject``), in the private tree
///     object_files/{id}    whose the bytes are that one upload has brought (``ObjectFile``), until they are gone
///
/// Bytes lie in the blob store as those of posts do, in the folder of whom the name begins with, under an id that is never used
/// twice. An upload is known of before its blob is there: until the record names it, and again when no record does, it is
/// among what is deleted, so that ``DeletedPostSweeper`` finds it whatever crashes.
///
/// It is a part of the pipeline, and no store of its own, as an object may be a post's photo: both are one commit.
package struct ObjectStore: Sendable {
    let tree: TreeStore
    let blobs: any BlobStore
    private let store: UploadStore
    private let ingester: PhotoIngester
    /// What comes in several requests.
    package let files: ResumableFiles
    private let settings: SharedSettings

    package init(
        tree: TreeStore, blobs: any BlobStore, store: UploadStore, ingester: PhotoIngester, files: ResumableFiles,
        settings: SharedSettings
    ) {
        self.tree = tree
        self.blobs = blobs
        self.store = store
        self.ingester = ingester
        self.files = files
        self.settings = settings
    }

    /// What decides whether something may be done with an object.
    ///
    /// It is asked in the state of the tree in which that is done, perhaps several times.
    ///
    /// - Parameter present: The object that is there; nil for none.
    package typealias Precondition = @Sendable (_ present: StoredObject?) throws -> Void

    /// The most bytes of an object.
    package var maxBytes: Int { settings.value.limits.maxInputBytes }

    // MARK: Reading

    /// The object with a name; nil when there is none.
    package func object(_ name: ObjectName) async throws -> StoredObject? {
        try await tree.snapshot { snapshot in try StoredObject(name, in: snapshot) }
    }

    /// A page of names.
    package func list(_ query: ObjectQuery) async throws -> ObjectPage {
        try await tree.snapshot { snapshot in try snapshot.objects(query) }
    }

    // MARK: Writing

    /// Begins to receive an object's bytes.
    ///
    /// - Parameters:
    ///   - name: The object that they are to be; nil for what has no limit.
    ///   - length: How many there are to be, where that is known.
    /// - Throws: `Failure` `quota_exceeded` when there is no room for them; `FileError` for what the disk says.
    package func beginUpload(of name: ObjectName? = nil, length: Int? = nil) async throws -> ObjectUpload {
        let old = if let name { try await object(name) } else { StoredObject?.none }
        let room = files.quotas.hold(for: name?.owner, inPlaceOf: old?.byteCount ?? 0)
        try await room.expect(length ?? 0)
        return ObjectUpload(try await ingester.stage(store.ids.next()), maxBytes: maxBytes, holding: room)
    }

    /// Refuses an object whose announced size is beyond the limit.
    ///
    /// - Throws: `Failure` `too_large_bytes`.
    package func checkSize(_ byteCount: Int) throws(Failure) { try ObjectUpload.check(byteCount, atMost: maxBytes) }

    /// Gives bytes a name, in place of what had it. Durable when it returns.
    ///
    /// The object keeps its download tokens, unless the client has chosen others.
    ///
    /// - Parameter resumed: The file whose bytes they are, when they came in several requests: it ends in the same commit.
    /// - Throws: What the judgement throws, and nothing has changed then; `Failure` `wrong_state` while the person whose folder
    ///   it is is being deleted.
    package func put(
        _ contents: ObjectUpload.Contents, as name: ObjectName, _ metadata: ObjectMetadata,
        ending resumed: ResumableFile? = nil, precondition: @escaping Precondition
    ) async throws -> StoredObject {
        let blob = try Self.blobName(contents.format, as: name, resumed?.id ?? store.ids.next())
        let deadline = try await announce(blob, as: name, byteCount: contents.byteCount)
        if let file = contents.file { try await blobs.put(file, as: blob) }
        let token = try Self.newToken()
        let object = try await tree.transact(at: "object-stored") { [store] snapshot, update in
            let old = try StoredObject(name, in: snapshot)
            try precondition(old)
            if let owner = name.owner, try snapshot.exists(PersonDeletion.task(of: owner)) {
                throw Failure.isBeingDeleted(owner)
            }
            let now = store.now
            // Later it may be being deleted.
            guard now < deadline else {
                throw Failure(.unavailable, "the object took too long", hint: "send it again", isTransient: true)
            }
            let object = StoredObject(
                name: name, blob: blob,
                objectGeneration: max(now.milliseconds * 1000, (old?.objectGeneration ?? 0) + 1),
                metageneration: 1, createdAt: now, updatedAt: now, byteCount: contents.byteCount, md5: contents.md5,
                crc32c: contents.crc32c,
                metadata: metadata, tokens: metadata.tokens.isEmpty ? old?.tokens ?? [token] : metadata.tokens)
            update[ObjectKey.path(name)] = object.value
            if let id = PostID(blob.postID) { update[FileNodes.deleted(id)] = nil }
            if let old { Self.discard(old.blob, at: now, in: &update) }
            if let resumed { update.endResumableFile(resumed) }
            if let photo = Self.photo(of: object, contents) {
                update[UploadNodes.upload(photo.id)] = try photo.value()
                update[UploadNodes.queued(photo.id)] = QueueEntry(photo).value
            }
            return object
        }
        // It is rendered before a post names it.
        if let photo = Self.photo(of: object, contents) { store.queue.push(photo.id, of: photo.owner) }
        return object
    }

    /// Changes what is said of an object.
    ///
    /// - Parameter change: Changes the object; what it may change is the metadata and the tokens. It may be called several times.
    /// - Throws: What the judgement and the change throw; `Failure` `not_found` when there is no such object.
    package func update(
        _ name: ObjectName, precondition: @escaping Precondition,
        change: @escaping @Sendable (inout StoredObject) throws -> Void
    ) async throws -> StoredObject {
        try await tree.transact(at: "object-changed") { [store] snapshot, update in
            let present = try StoredObject(name, in: snapshot)
            try precondition(present)
            guard var object = present else { throw Failure.noObject(name) }
            try change(&object)
            object.metageneration += 1
            object.updatedAt = max(store.now, object.updatedAt)
            update[ObjectKey.path(name)] = object.value
            return object
        }
    }

    /// Changes the metadata of an object as a client says it.
    ///
    /// - Parameters:
    ///   - json: See ``ObjectMetadata/merge(_:)``.
    ///   - precondition: Is given what the object is to be, too.
    package func patch(
        _ name: ObjectName, with json: JSONValue,
        precondition: @escaping @Sendable (_ present: StoredObject?, _ new: ObjectMetadata) throws -> Void
    ) async throws -> StoredObject {
        try await update(name) { present in
            var new = present?.metadata ?? ObjectMetadata()
            try new.merge(json)
            try precondition(present, new)
        } change: { object in
            try object.metadata.merge(json)
            if !object.metadata.tokens.isEmpty { object.tokens = object.metadata.tokens }
        }
    }

    /// Gives an object one more download token, or takes one from it. The last one is replaced by a new one, so that the object
    /// can be fetched as clients expect.
    ///
    /// - Parameter removed: The token to take away; nil to add one.
    package func changeTokens(
        of name: ObjectName, removing removed: String?, precondition: @escaping Precondition
    ) async throws -> StoredObject {
        let new = try Self.newToken()
        return try await update(name, precondition: precondition) { object in
            if let removed {
                object.tokens.removeAll { $0.hasSameBytes(as: removed) }
            } else {
                object.tokens.append(new)
            }
            if object.tokens.isEmpty { object.tokens = [new] }
            guard object.tokens.count <= Self.maxTokens else {
                throw Failure(
                    .badRequest, "the object has \(Self.maxTokens) download tokens", hint: "delete one of them first")
            }
        }
    }

    /// Deletes an object; its bytes go after the grace period.
    ///
    /// - Throws: What the judgement throws; `Failure` `not_found` when there is no such object.
    package func delete(_ name: ObjectName, precondition: @escaping Precondition) async throws {
        try await tree.transact(at: "object-deleted") { [store] snapshot, update in
            let present = try StoredObject(name, in: snapshot)
            try precondition(present)
            guard let object = present else { throw Failure.noObject(name) }
            update[ObjectKey.path(name)] = nil
            update.makesRoom = true
            Self.discard(object.blob, at: store.now, in: &update)
        }
    }

    private static let maxTokens = 100

    // MARK: -

    /// The file name of bytes that are no photo: no recipe's renditions are called so, and nothing is served at it but by the
    /// object's name.
    package static let plainFileName = "object"
    /// The folder of objects that are nobody's; no user id has a dot.
    static let commonFolder = "bucket.objects"

    static func blobName(_ format: ImageFormat?, as name: ObjectName, _ id: PostID) throws(FileError) -> BlobName {
        let isPhoto = format != nil && name.isPhoto
        return try BlobName(
            userID: name.owner?.description ?? Self.commonFolder, postID: id.string,
            fileName: isPhoto ? "original.\(format?.fileExtension ?? "")" : Self.plainFileName)
    }

    /// The upload with which an object begins that may be a post's photo; nil for others.
    private static func photo(of object: StoredObject, _ contents: ObjectUpload.Contents) -> UploadRecord? {
        guard contents.format != nil, object.name.isPhoto, let owner = object.name.owner,
            let id = PostID(object.blob.postID)
        else { return nil }
        var record = UploadRecord(
            id: id, owner: owner, intake: .socket, state: .ingested, text: "", clientReference: nil, source: nil,
            createdAt: object.createdAt, purpose: .object)
        let name = object.name.description.split(separator: "/").last.map(String.init) ?? ""
        record.photos[0] = UploadRecord.Photo(
            fileName: object.blob.fileName, originalName: String(name.prefix(255)), byteCount: contents.byteCount,
            sha256: contents.sha256)
        return record
    }

    /// The time that bytes on disk may take to get their name.
    private static let patience = Duration.seconds(600)

    /// Has the tree know of a blob before it is there, as one that goes unless an object comes to name it.
    ///
    /// - Returns: Until when an object may.
    private func announce(_ blob: BlobName, as name: ObjectName, byteCount: Int) async throws -> Timestamp {
        var update = MultiPathUpdate()
        update[ObjectNodes.file(TreeKey(unchecked: blob.postID))] = ObjectFile(folder: blob.userID, name: name).value
        update[ObjectNodes.size() / TreeKey(unchecked: blob.postID)] = .integer(Int64(byteCount))
        let deadline = store.now + Self.patience
        Self.discard(blob, at: deadline, in: &update)
        _ = try await tree.commit(update, at: "object-announced")
        return deadline
    }

    /// Has a blob's folder swept when the grace period is over.
    ///
    /// - Parameter time: When it became garbage.
    package static func discard(_ blob: BlobName, at time: Timestamp, in update: inout MultiPathUpdate) {
        guard let id = PostID(blob.postID) else { return }
        update[FileNodes.deleted(id)] = time.value
    }

    /// A token that nobody can guess, in the form of a UUID (RFC 9562 §5.4), as clients know them.
    private static func newToken() throws -> String {
        var bytes = try RandomText.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }.joined(separator: "-")
    }
}

extension Failure {
    package static func noObject(_ name: ObjectName) -> Failure {
        Failure(.notFound, "there is no object \(name)", hint: "list the folder to see what is there")
    }
}
