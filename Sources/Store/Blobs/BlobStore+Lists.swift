package import Files

extension BlobStore {
    /// The number of entries of a page when all are read: the page size of object stores.
    private var pageSize: Int { 1000 }

    /// Returns all entries of a walk, in memory; meant for one post, or one user.
    package func entries(of walk: BlobWalk) async throws(FileError) -> [BlobEntry] {
        var entries: [BlobEntry] = []
        var next: BlobWalk? = walk
        while let walk = next {
            let page = try await page(of: walk, limit: pageSize)
            entries += page.entries
            next = page.next
        }
        return entries
    }

    /// Returns the names of a post's blobs, in byte order; empty if it has none.
    package func fileNames(userID: String, postID: String) async throws(FileError) -> [String] {
        try await entries(of: BlobWalk(.names, userID: userID, postID: postID)).map(\.fileName)
    }

    /// Returns the names and sizes of a post's blobs, in byte order; empty if it has none.
    package func files(userID: String, postID: String) async throws(FileError) -> [BlobFile] {
        try await entries(of: BlobWalk(.sizes, userID: userID, postID: postID)).map { entry in
            BlobFile(name: entry.fileName, byteCount: entry.byteCount ?? 0)
        }
    }

    /// Returns the ids of the users who have blobs, in byte order.
    package func userIDs() async throws(FileError) -> [String] { try await entries(of: BlobWalk(.users)).map(\.userID) }

    /// Returns the ids of the posts of a user that have blobs, in byte order; empty if there are none.
    package func postIDs(userID: String) async throws(FileError) -> [String] {
        try await entries(of: BlobWalk(.posts, userID: userID)).map(\.postID)
    }

    /// Whether the store has no blobs.
    package func isEmpty() async throws(FileError) -> Bool {
        var next: BlobWalk? = BlobWalk(.users)
        while let walk = next {
            let page = try await page(of: walk, limit: 1)
            guard page.entries.isEmpty else { return false }
            next = page.next
        }
        return true
    }
}

/// A blob in the list of a post.
public struct BlobFile: Hashable, Sendable {
    /// The blob's own name within its post.
    public let name: String
    /// The blob's size in bytes.
    public let byteCount: Int

    /// Creates an entry.
    public init(name: String, byteCount: Int) {
        self.name = name
        self.byteCount = byteCount
    }
}
