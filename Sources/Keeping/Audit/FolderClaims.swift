import API
package import Model
import Store
package import Tree
import Uploads

/// The expected contents of an id's folder in the blob store, from one state of the tree: the files that must exist,
/// their sizes and their digests.
package struct FolderClaims: Sendable {
    /// The use of a file.
    package enum Role: Sendable, Hashable {
        case original
        /// A rendition of the photo with this number, counted from 0 in the upload's order.
        case rendition(photo: Int)
        case object
        /// A rendition that a rethumb run has made and that is not shown yet.
        case prepared
    }

    package struct File: Sendable {
        package let name: String
        package let role: Role
        /// The expected size, in bytes; nil if it is unknown.
        package var byteCount: Int?
        /// The expected digest; nil if it is unknown.
        package var digest: FileDigest?
    }

    let owner: String
    let id: PostID
    /// Whether any file is allowed: while an upload is in progress, and until the files of a deleted post are swept.
    private(set) var isOpen = false
    /// Whether anything refers to the folder.
    private(set) var isClaimed = true
    private(set) var files: [File] = []
    /// The renditions that a post names and that are files of another upload: the numbers of their photos, with the
    /// names.
    private(set) var foreign: [(photo: Int, name: String)] = []
    /// Whether the post has another number of photos than its upload.
    private(set) var hasOtherPhotos = false
    /// Whether the upload's post does not exist although it was not deleted.
    private(set) var lacksPost = false
    /// The record of the upload; nil for an object that is not a photo of a post.
    private(set) var record: UploadRecord?

    /// Reads the claims from the tree.
    ///
    /// - Parameter isAtRest: Whether the uses of files are also determined while any file is allowed.
    package init(
        of id: PostID, owner: String, asIfAtRest isAtRest: Bool = false, in snapshot: TreeSnapshot
    ) throws(TreeError) {
        (self.id, self.owner) = (id, owner)
        record = try snapshot.upload(id)
        isOpen = record?.state.isTerminal == false
        if !isOpen { isOpen = try Self.isOpen(id, in: snapshot) }
        guard !isOpen || isAtRest else { return }
        isClaimed = try !UnclaimedFiles.isUnclaimed(id, of: owner, in: snapshot)
        guard isClaimed || record?.state == .published else { return }
        try addObject(in: snapshot)
        guard let record, record.state == .published || isAtRest else { return }
        if record.purpose == .draftPhoto {
            self.files = []  // The files belong to the draft.
            return
        }
        for photo in record.photos.values
        where photo.droppedAt == nil && !files.contains(where: { $0.name == photo.fileName }) {
            let byteCount = photo.storedSHA256 == nil ? photo.byteCount : photo.storedByteCount
            files.append(
                File(name: photo.fileName, role: .original, byteCount: byteCount, digest: .sha256(photo.fileSHA256)))
        }
        try addRenditions(of: record, in: snapshot)
        try addPrepared(of: record, in: snapshot)
    }

    /// Whether work on the files of an id is pending.
    private static func isOpen(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        for path in [UploadNodes.queued(id), FileNodes.deleted(id), UploadNodes.resumableFile(id)]
        where try snapshot.exists(path) {
            return true
        }
        return false
    }

    /// The files by name. One file may be claimed twice, as a rendition of two posts.
    package var byName: [String: File] { Dictionary(files.map { ($0.name, $0) }) { one, _ in one } }

    private mutating func addObject(in snapshot: TreeSnapshot) throws(TreeError) {
        guard let file = ObjectFile(try snapshot.get(ObjectNodes.file() / id.key)), file.folder == owner,
            let value = try snapshot.get(ObjectKey.path(file.name)),
            let object = try? StoredObject(file.name, value), object.blob.postID == id.string
        else { return }
        files.append(
            File(
                name: object.blob.fileName, role: .object, byteCount: object.byteCount,
                digest: .checksums(md5: object.md5, crc32c: object.crc32c)))
    }

    /// Adds the renditions that are shown by posts and by the upload's own record.
    private mutating func addRenditions(of record: UploadRecord, in snapshot: TreeSnapshot) throws(TreeError) {
        for (index, photo) in record.orderedPhotos.enumerated() {
            if let rendered = photo.rendered { add(rendered, photo: index, of: record) }
        }
        let posts: [PostID]
        switch record.purpose {
        case .post: posts = [record.id]
        case .object: posts = try ObjectLinks.posts(ofObject: record.id, in: snapshot)
        case .avatar, .draftPhoto: posts = []
        }
        for post in posts {
            guard let value = try snapshot.record(ofPost: post) else {
                lacksPost = lacksPost || record.purpose == .post
                continue
            }
            guard let photos = PostPhotos.read(value) else { continue }  // An invariant reports that.
            guard photos.count == record.photos.count else {
                // A client's post of an object need not show a photo yet.
                hasOtherPhotos = hasOtherPhotos || record.purpose == .post
                continue
            }
            for (index, photo) in photos.enumerated() {
                add(photo, photo: index, of: record)
                addForeign(in: value["photos"], photo: index, of: record)
            }
        }
    }

    private mutating func add(_ photo: PhotoRecord, photo index: Int, of record: UploadRecord) {
        let known = record.orderedPhotos.indices.contains(index) ? record.orderedPhotos[index].files : [:]
        for rendition in photo.renditions.values where !files.contains(where: { $0.name == rendition.fileName }) {
            let file = known[rendition.fileName]
            files.append(
                File(
                    name: rendition.fileName, role: .rendition(photo: index),
                    byteCount: file?.byteCount ?? rendition.byteCount, digest: (file?.sha256).map { .sha256($0) }))
        }
    }

    /// Records the renditions whose address is not that of a file of this upload.
    private mutating func addForeign(in photos: TreeValue?, photo index: Int, of record: UploadRecord) {
        let all = (photos?.object ?? [:]).sorted { $0.key < $1.key }
        guard all.indices.contains(index) else { return }
        for rendition in (all[index].value["renditions"]?.object ?? [:]).values {
            guard let uri = rendition["storage_uri"]?.stringValue, let name = uri.split(separator: "/").last,
                uri != MediaAddress.storageURI(record.owner, record.id, String(name))
            else { continue }
            foreign.append((index, uri))
            files.removeAll { $0.name == name }
        }
    }

    private mutating func addPrepared(of record: UploadRecord, in snapshot: TreeSnapshot) throws(TreeError) {
        for name in try RethumbRun.preparedFiles(of: record.id, in: snapshot)
        where !files.contains(where: { $0.name == name }) {
            let file = record.photos.values.compactMap { $0.files[name] }.first
            files.append(
                File(
                    name: name, role: .prepared, byteCount: file?.byteCount,
                    digest: (file?.sha256).map { .sha256($0) }))
        }
    }
}
