public import Files

/// Keeps the files of posts, which never change, by name: `user_id/post_id/file_name`.
///
/// A blob is there whole or not at all, and what a call has written is durable when it returns. Calls may be made from
/// any task, many at a time. Every store passes the same tests (`BlobStoreTests`).
public protocol BlobStore: Sendable {
    /// Moves a finished file into the store. Repeating the call after a crash is harmless.
    func publish(_ staged: StagedFile, as name: BlobName) async throws(FileError)

    /// Writes several blobs of one post. Repeating the call after a crash is harmless.
    ///
    /// A blob whose name is taken stays as it is: readers may keep what they have seen for ever.
    ///
    /// - Returns: The size of each blob in bytes, in the order of `blobs`.
    @discardableResult
    func write(_ blobs: [(name: BlobName, bytes: [UInt8])]) async throws(FileError) -> [Int]

    /// Opens a blob for reading. A store on another machine fetches it into a file without a name first.
    ///
    /// - Throws: ``FileError``, `not_found` when there is none.
    func open(_ name: BlobName) async throws(FileError) -> FileReader

    /// The names of a post's blobs, in byte order; empty when it has none.
    func fileNames(userID: String, postID: String) async throws(FileError) -> [String]

    /// The names and sizes in bytes of a post's blobs, in byte order; empty when it has none.
    func files(userID: String, postID: String) async throws(FileError) -> [BlobFile]

    /// The same of several posts, in their order.
    func files(ofPosts posts: [(userID: String, postID: String)]) async throws(FileError) -> [[BlobFile]]

    /// The users who have blobs, in byte order.
    func userIDs() async throws(FileError) -> [String]

    /// The posts of which a user has blobs, in byte order; empty when there are none.
    func postIDs(userID: String) async throws(FileError) -> [String]

    /// The names of what lies beside the folders of users, in byte order: nothing of it can be a blob.
    func strayNames() async throws(FileError) -> [String]

    /// The names in the folders of some posts that are none of blobs, in byte order, for each post.
    func strayNames(inPosts posts: [(userID: String, postID: String)]) async throws(FileError) -> [[String]]

    /// Moves a blob out of the store into a folder, replacing nothing. A blob that is missing is no error.
    func release(_ name: BlobName, to target: Directory, as fileName: String) async throws(FileError)

    /// Deletes a blob. One that is missing is no error.
    func remove(_ name: BlobName) async throws(FileError)

    /// Deletes all blobs of a post. A post without blobs is no error.
    func removeAll(userID: String, postID: String) async throws(FileError)

    /// The mark that the store's owner has put beside the blobs, and that goes wherever they go; nil when there is none.
    func mark() async throws(FileError) -> [UInt8]?

    /// Replaces the owner's mark.
    func setMark(_ bytes: [UInt8]) async throws(FileError)

    /// Tries whether blobs can be written, and leaves nothing behind.
    ///
    /// - Throws: ``FileError``, the first thing that was refused.
    func probe() async throws(FileError)
}

extension BlobStore {
    /// The default, for stores that are asked for one post at a time.
    public func files(ofPosts posts: [(userID: String, postID: String)]) async throws(FileError) -> [[BlobFile]] {
        var files: [[BlobFile]] = []
        for post in posts { files.append(try await self.files(userID: post.userID, postID: post.postID)) }
        return files
    }

    /// The default, for stores that have nothing but blobs.
    public func strayNames() async throws(FileError) -> [String] { [] }

    /// The default, for stores that have nothing but blobs.
    public func strayNames(
        inPosts posts: [(userID: String, postID: String)]
    ) async throws(FileError) -> [[String]] { posts.map { _ in [] } }

    /// Opens a blob for reading; nil when there is none.
    package func openIfThere(_ name: BlobName) async throws(FileError) -> FileReader? {
        do throws(FileError) {
            return try await open(name)
        } catch  where error.code == .notFound {
            return nil
        }
    }
}

/// A blob in a list.
public struct BlobFile: Hashable, Sendable {
    /// The blob's own name within its post.
    public let name: String
    /// The blob's size in bytes.
    public let byteCount: Int

    /// Describes a blob.
    public init(name: String, byteCount: Int) {
        self.name = name
        self.byteCount = byteCount
    }
}
