/// Immutable files named `user_id/post_id/file_name` below one folder.
///
/// A blob is there whole or not at all: bytes are written under a temporary name, fsynced, renamed, and the folder is
/// fsynced. Names are resolved component by component from an open descriptor without following links, so that data
/// can never reach outside the root. All calls block on the disk: call from a thread that may. Thread-safe.
public final class LocalBlobStore: Sendable {
    private let root: Directory
    private let staging: Directory

    /// Opens the store at `path`, making the folder when it is missing.
    ///
    /// - Parameter staging: Where files lie until they are whole, on the same file system. What a crash leaves there ends
    ///   in `.part`, and is for whoever owns the folder to delete.
    public init(path: String, staging: Directory) throws(BlobError) {
        root = try Directory(path: path, create: true)
        self.staging = staging
    }

    /// Moves a finished file into its place. Durable when it returns; repeating it after a crash is harmless.
    public func publish(_ staged: StagedFile, as name: BlobName) throws(BlobError) {
        let folder = try folder(of: name, create: true)
        try staged.publish(as: name.fileName, in: folder)
        try folder.sync()
    }

    /// Writes several blobs of one post. All are durable when it returns; repeating it after a crash is harmless.
    ///
    /// What has its name already stays as it is: whoever saw it may keep it for ever.
    ///
    /// - Returns: How many bytes each blob has.
    @discardableResult
    public func write(_ blobs: [(name: BlobName, bytes: [UInt8])]) throws(BlobError) -> [Int] {
        var byteCounts: [Int] = []
        for (name, bytes) in blobs {
            let folder = try existingFolder(of: name)
            if let byteCount = try byteCount(of: name.fileName, in: folder) {
                byteCounts.append(byteCount)
            } else {
                try folder.replace(name.fileName, with: bytes, staging: staging)
                byteCounts.append(bytes.count)
            }
        }
        if let name = blobs.first?.name { try folder(of: name).sync() }
        return byteCounts
    }

    /// Nil when there is no such file.
    private func byteCount(of fileName: String, in folder: Directory) throws(BlobError) -> Int? {
        do throws(BlobError) {
            return try folder.file(fileName).byteCount()
        } catch  where error.code == .notFound {
            return nil
        }
    }

    /// Opens a blob for reading.
    ///
    /// - Throws: `BlobError`, `not_found` when there is none.
    public func open(_ name: BlobName) throws(BlobError) -> FileReader {
        try folder(of: name).file(name.fileName)
    }

    /// The names and sizes in bytes of a post's blobs, in byte order; empty when it has none.
    public func files(userID: String, postID: String) throws(BlobError) -> [(name: String, byteCount: Int)] {
        do throws(BlobError) {
            return try root.folder(userID).folder(postID).entries().filter { BlobName.isValid($0.name) }
                .map { ($0.name, $0.byteCount) }
        } catch  where error.code == .notFound || error.code == .wrongKind {
            return []
        }
    }

    /// The names of a post's blobs, in byte order; empty when it has none. Temporary files are not listed.
    public func fileNames(userID: String, postID: String) throws(BlobError) -> [String] {
        do throws(BlobError) {
            return try root.folder(userID).folder(postID).names().filter(BlobName.isValid)
        } catch  where error.code == .notFound {
            return []
        }
    }

    /// Whose blobs there are, in byte order.
    public func userIDs() throws(BlobError) -> [String] {
        try root.names().filter { !$0.hasPrefix(".") }
    }

    /// What the owner's mark is called, in the folder of all blobs.
    public static let markName = ".store.json"

    /// The mark that the store's owner put beside the blobs, so that it goes wherever they go; nil when there is none.
    public func readMark() throws(BlobError) -> [UInt8]? {
        guard try root.entry(Self.markName) != nil else { return nil }
        return try root.file(Self.markName).readAll(maxBytes: 4096)
    }

    /// Replaces the owner's mark. Durable when it returns.
    public func writeMark(_ bytes: [UInt8]) throws(BlobError) {
        try root.write(bytes, as: Self.markName, staging: staging)
    }

    /// The posts of which a user has blobs, in byte order; empty when there are none.
    public func postIDs(userID: String) throws(BlobError) -> [String] {
        do throws(BlobError) {
            return try root.folder(userID).names()
        } catch  where error.code == .notFound || error.code == .wrongKind {
            return []
        }
    }

    /// Moves a blob out of the store into another folder, replacing nothing; missing is success.
    public func release(_ name: BlobName, to target: Directory, as fileName: String) throws(BlobError) {
        do throws(BlobError) {
            try folder(of: name).move(name.fileName, to: target, as: fileName)
        } catch  where error.code == .notFound {}
    }

    /// Deletes a blob; missing is success.
    public func remove(_ name: BlobName) throws(BlobError) {
        do throws(BlobError) {
            let folder = try folder(of: name)
            try folder.remove(name.fileName)
            try folder.sync()
        } catch  where error.code == .notFound {}
    }

    /// Deletes all blobs of a post; missing is success.
    public func removeAll(userID: String, postID: String) throws(BlobError) {
        do throws(BlobError) {
            let user = try root.folder(userID)
            try user.removeTree(postID)
            try user.sync()
        } catch  where error.code == .notFound {}
    }

    /// Tries whether blobs can be written; see ``Directory/probe()``.
    public func probe() throws(BlobError) { try root.probe() }

    /// Deletes what a probe that was cut off left behind.
    public func removeProbe() throws(BlobError) { try root.removeProbe() }

    /// The folder of a post that has an original: it was made then, and durable before that was acknowledged.
    private func existingFolder(of name: BlobName) throws(BlobError) -> Directory {
        do throws(BlobError) {
            return try folder(of: name)
        } catch  where error.code == .notFound {
            return try folder(of: name, create: true)
        }
    }

    private func folder(of name: BlobName, create: Bool = false) throws(BlobError) -> Directory {
        try root.folder(name.userID, create: create).folder(name.postID, create: create)
    }
}
