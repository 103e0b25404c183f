import Blobs
import Files
package import Posts
import Tree

/// Finds the posts in which a user has shown photos, by the SHA-256 of their bytes.
///
/// Posts for audiences are found among those for the very same audiences alone: to others they say nothing, and nobody else
/// is led to them.
package struct PhotoIndex: Sendable {
    /// The entry of an upload's photos in the index.
    struct Entry {
        let path: TreePath
        /// The value of the entry: the post that had these bytes last.
        let value: TreeValue?
        /// The same post, if it is still there.
        let post: PostID?
    }

    private let tree: TreeStore
    private let blobs: any BlobStore

    package init(_ storage: StorageFolder) {
        tree = storage.tree
        blobs = storage.blobs
    }

    /// The post in which a user shows everybody the photos with these SHA-256 (64 hexadecimal digits each), in this order and no
    /// others; nil when there is none.
    package func post(of owner: UserID, showing hashes: [String]) async throws -> PostID? {
        guard !hashes.isEmpty else { return nil }
        return try await tree.snapshot { snapshot in try Self.entry(of: owner, hashes, for: [], in: snapshot)?.post }
    }

    /// The entry of the upload's photos in their order; nil for an upload without photos.
    func entry(of record: UploadRecord) async throws -> Entry? {
        guard !record.photos.isEmpty else { return nil }
        return try await tree.snapshot { snapshot in try Self.entry(of: record, in: snapshot) }
    }

    /// The entry of the upload's photos in one state of the tree; nil for an upload without photos.
    static func entry(of record: UploadRecord, in snapshot: TreeSnapshot) throws -> Entry? {
        try entry(
            of: record.owner, record.orderedPhotos.map(\.sha256), for: record.audiences, in: snapshot)
    }

    private static func entry(
        of owner: UserID, _ hashes: [String], for audiences: [AudienceID], in snapshot: TreeSnapshot
    ) throws -> Entry? {
        guard let first = hashes.first else { return nil }
        // No hash is an audience: behind the slash there are such.
        let names = audiences.isEmpty ? "" : "/" + audiences.map(\.description).joined(separator: " ")
        let key =
            hashes.count == 1 && audiences.isEmpty
            ? first : sha256(of: Array((hashes.joined(separator: " ") + names).utf8))
        let path = Paths.photoHash(owner, try TreeKey(key))
        let value = try snapshot.get(path)
        let id = value?.stringValue.flatMap { PostID($0) }
        let isThere = try id.map { try snapshot.exists(audiences.isEmpty ? Paths.post($0) : Paths.audiencePost($0)) }
        return Entry(path: path, value: value, post: isThere == true ? id : nil)
    }

    /// Whether the blob store has originals with these SHA-256, in this order, for a post that is there: the files are read.
    package func hasOriginals(_ hashes: [String], of post: PostID) async throws -> Bool {
        guard let record = try await tree.upload(post), record.orderedPhotos.map(\.sha256) == hashes,
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
