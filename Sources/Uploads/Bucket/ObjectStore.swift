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

/// The objects of the bucket: names, metadata set by clients, and bytes.
///
///     objects/{name}       the record (``StoredObject``), in the private tree
///     object_files/{id}    the owner of the bytes of one upload (``ObjectFile``), until they are deleted
///
/// Bytes are in the blob store like those of posts, in the folder of the user with whose id the name begins, under an
/// id that is never used twice. An upload is recorded before its blob exists: until an object's record names it, and
/// again once none does, it is listed among the deleted files, so that ``DeletedPostSweeper`` finds it after any crash.
///
/// It is a part of the pipeline and not a separate store, because an object may be a post's photo: both are one commit.
package struct ObjectStore: Sendable {
    let tree: TreeStore
    let blobs: any BlobStore
    private let store: UploadStore
    private let ingester: PhotoIngester
    /// The files that arrive in several requests.
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

    /// A check of whether an operation on an object is allowed.
    ///
    /// It is called in the state of the tree in which the operation is done, perhaps several times.
    ///
    /// - Parameter present: The existing object; nil for none.
    package typealias Precondition = @Sendable (_ present: StoredObject?) throws -> Void

    /// The largest size of an object, in bytes.
    package var maxBytes: Int { settings.value.limits.maxInputBytes }

    // MARK: Reading

    /// Returns the object with a name; nil if it does not exist.
    package func object(_ name: ObjectName) async throws -> StoredObject? {
        try await tree.snapshot { snapshot in try StoredObject(name, in: snapshot) }
    }

    /// Returns a page of names.
    package func list(_ query: ObjectQuery) async throws -> ObjectPage {
        try await tree.snapshot { snapshot in try snapshot.objects(query) }
    }

    // MARK: Writing

    /// Begins to receive an object's bytes.
    ///
    /// - Parameters:
    ///   - name: The name of the future object; nil for bytes without a quota.
    ///   - length: The expected number of bytes, if it is known.
    /// - Throws: `Failure` `quota_exceeded` if the quota does not suffice; `FileError` for errors of the disk.
    package func beginUpload(of name: ObjectName? = nil, length: Int? = nil) async throws -> ObjectUpload {
        let old = if let name { try await object(name) } else { StoredObject?.none }
        let room = files.quotas.hold(for: name?.owner, inPlaceOf: old?.byteCount ?? 0)
        try await room.expect(length ?? 0)
        return ObjectUpload(try await ingester.stage(store.ids.next()), maxBytes: maxBytes, holding: room)
    }

    /// Checks the announced size of an object.
    ///
    /// - Throws: `Failure` `too_large_bytes`.
    package func checkSize(_ byteCount: Int) throws(Failure) { try ObjectUpload.check(byteCount, atMost: maxBytes) }

    /// Publishes bytes under a name, replacing its former content. Durable on return.
    ///
    /// The object keeps its download tokens, unless the client has chosen others.
    ///
    /// - Parameter resumed: The file of the bytes, if they arrived in several requests: its record ends in the same
    ///   commit.
    /// - Throws: The error of the precondition, and nothing has changed then; `Failure` `wrong_state` while the user
    ///   whose folder it is in is being deleted.
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
            // After the deadline the blob may be in deletion.
            guard now < deadline else {
                throw Failure(.unavailable, "the object took too long", hint: "Send it again.", isTransient: true)
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
        // It is rendered even before a post names it.
        if let photo = Self.photo(of: object, contents) { store.queue.push(photo.id, of: photo.owner) }
        return object
    }

    /// Changes the metadata of an object.
    ///
    /// - Parameter change: Changes the metadata or the tokens of the object. It may be called several times.
    /// - Throws: The errors of the precondition and the change; `Failure` `not_found` if the object does not exist.
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

    /// Merges a client's JSON into the metadata of an object.
    ///
    /// - Parameters:
    ///   - json: See ``ObjectMetadata/merge(_:)``.
    ///   - precondition: The check, which also gets the object as it would be after the change.
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

    /// Adds a download token to an object, or removes one. If the last one is removed, a new one replaces it, because
    /// clients expect that the object can be fetched.
    ///
    /// - Parameter removed: The token to remove; nil to add one.
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
                    .badRequest, "the object has \(Self.maxTokens) download tokens", hint: "Delete one of them first.")
            }
        }
    }

    /// Deletes an object; its bytes are deleted after the grace period.
    ///
    /// - Throws: The error of the precondition; `Failure` `not_found` if the object does not exist.
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

    /// The file name of bytes that are not a photo. No recipe's renditions have this name, and the file is served only
    /// under the object's name.
    package static let plainFileName = "object"
    /// The folder of objects without an owner; user ids contain no dot.
    static let commonFolder = "bucket.objects"

    static func blobName(_ format: ImageFormat?, as name: ObjectName, _ id: PostID) throws(FileError) -> BlobName {
        let isPhoto = format != nil && name.isPhoto
        return try BlobName(
            userID: name.owner?.description ?? Self.commonFolder, postID: id.string,
            fileName: isPhoto ? "original.\(format?.fileExtension ?? "")" : Self.plainFileName)
    }

    /// Returns the upload for a new object that may be a post's photo; nil for other objects.
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

    /// The time limit for naming bytes that are on disk.
    private static let patience = Duration.seconds(600)

    /// Records a blob before it exists, as one that is deleted unless an object names it.
    ///
    /// - Returns: The deadline for naming it.
    private func announce(_ blob: BlobName, as name: ObjectName, byteCount: Int) async throws -> Timestamp {
        var update = MultiPathUpdate()
        update[ObjectNodes.file(TreeKey(unchecked: blob.postID))] = ObjectFile(folder: blob.userID, name: name).value
        update[ObjectNodes.size() / TreeKey(unchecked: blob.postID)] = .integer(Int64(byteCount))
        let deadline = store.now + Self.patience
        Self.discard(blob, at: deadline, in: &update)
        _ = try await tree.commit(update, at: "object-announced")
        return deadline
    }

    /// Schedules a blob's folder for the sweep after the grace period.
    ///
    /// - Parameter time: The time at which it became garbage.
    package static func discard(_ blob: BlobName, at time: Timestamp, in update: inout MultiPathUpdate) {
        guard let id = PostID(blob.postID) else { return }
        update[FileNodes.deleted(id)] = time.value
    }

    /// Returns an unguessable token in the form of a UUID (RFC 9562 §5.4), as clients expect.
    private static func newToken() throws -> String {
        var bytes = try RandomText.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }.joined(separator: "-")
    }
}

extension Failure {
    package static func noObject(_ name: ObjectName) -> Failure {
        Failure(.notFound, "the object \(name) does not exist", hint: "List the folder to see its objects.")
    }
}
