import Cryptography
import Files
package import Model
package import Store
package import Tree

/// The index of posts by the SHA-256 of their photos' bytes and their author.
///
/// A post for audiences is found only by uploads for exactly the same audiences, so that nobody else learns of it.
package struct PhotoIndex: Sendable {
    /// The entry of an upload's photos in the index.
    package struct Entry {
        package let path: TreePath
        /// The stored value: the id of the first post with these bytes, of those that existed when the entry was
        /// written; nil if there is no entry.
        package let value: TreeValue?
        /// The post of this id; nil if there is no entry, or the post no longer exists.
        package let post: PostID?
    }

    private let tree: TreeStore
    private let blobs: any BlobStore

    package init(_ storage: StorageFolder) {
        tree = storage.tree
        blobs = storage.blobs
    }

    /// Returns the post in which a user shows everybody exactly the photos with these SHA-256 (64 lower-case
    /// hexadecimal digits each), in this order; nil if there is none.
    package func post(of owner: UserID, showing hashes: [String]) async throws -> PostID? {
        guard let path = try Self.path(of: owner, hashes, for: []) else { return nil }
        return try await tree.snapshot { snapshot in try Self.entry(at: path, for: [], in: snapshot).post }
    }

    /// Returns the entry of the upload's photos in their order; nil for an upload without photos.
    package func entry(of record: UploadRecord) async throws -> Entry? {
        guard !record.photos.isEmpty else { return nil }
        return try await tree.snapshot { snapshot in try Self.entry(of: record, in: snapshot) }
    }

    /// Returns the entry of the upload's photos in one state of the tree; nil for an upload without photos.
    package static func entry(of record: UploadRecord, in snapshot: TreeSnapshot) throws(TreeError) -> Entry? {
        guard let path = try path(of: record) else { return nil }
        return try entry(at: path, for: record.audiences, in: snapshot)
    }

    /// Returns the path of the entry of the upload's photos; nil for an upload without photos.
    package static func path(of record: UploadRecord) throws(TreeError) -> TreePath? {
        try path(of: record.owner, record.orderedPhotos.map(\.sha256), for: record.audiences)
    }

    private static func path(
        of owner: UserID, _ hashes: [String], for audiences: [AudienceID]
    ) throws(TreeError) -> TreePath? {
        guard let first = hashes.first else { return nil }
        // Audiences follow a slash, so that they cannot be confused with hashes.
        let names = audiences.isEmpty ? "" : "/" + audiences.map(\.description).joined(separator: " ")
        let key =
            hashes.count == 1 && audiences.isEmpty
            ? first : sha256(of: Array((hashes.joined(separator: " ") + names).utf8))
        return FileNodes.content(owner, try TreeKey(key))
    }

    /// - Parameter audiences: The audiences that the post must have.
    package static func entry(
        at path: TreePath, for audiences: [AudienceID], in snapshot: TreeSnapshot
    ) throws(TreeError) -> Entry {
        let value = try snapshot.get(path)
        guard let id = value?.stringValue.flatMap({ PostID($0) }),
            try snapshot.exists(audiences.isEmpty ? PostNodes.post(id) : AudienceNodes.post(id))
        else { return Entry(path: path, value: value, post: nil) }
        return Entry(path: path, value: value, post: id)
    }

    /// Whether a post exists, and its originals in the blob store have exactly these SHA-256 (64 lower-case hexadecimal
    /// digits each), in any order, which an edit may have changed. Every file is read; the result is false if one is
    /// missing or has other bytes.
    package func hasOriginals(_ hashes: [String], of post: PostID) async throws -> Bool {
        guard let record = try await tree.upload(post), record.photos.values.map(\.sha256).sorted() == hashes.sorted(),
            try await tree.snapshot({ try $0.hasPost(post) })
        else { return false }
        for photo in record.orderedPhotos {
            guard let file = try? await blobs.open(record.blobName(photo.fileName)),
                try await FileThreads.run({ () throws(FileError) in try file.sha256() }) == photo.sha256
            else { return false }
        }
        return true
    }
}
