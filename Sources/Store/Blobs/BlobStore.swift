public import Files

/// Keeps the files of posts, which never change, by name: `user_id/post_id/file_name`.
///
/// It asks for no more than a store of objects can do: put, get, list by prefix, delete. A blob is there whole or not at all, and
/// what a call has written is durable when it returns. Calls may be made from any task, many at a time, and repeating one after
/// a crash is harmless. Every store passes the same tests (`BlobStoreTests`); `Documentation/Extending.md` leads through a new one.
public protocol BlobStore: Sendable {
    /// Takes a finished file into the store, and its temporary name away. What an earlier try has left under the name is replaced.
    ///
    /// - Parameter staged: A file whose size and SHA-256 are known (``StagedFile/contents()``).
    /// - Throws: `FileError`; `io` for a file that is not finished.
    func put(_ staged: StagedFile, as name: BlobName) async throws(FileError)

    /// Writes several blobs of one post that are in memory.
    ///
    /// A blob whose name is taken stays as it is: readers may keep what they have seen for ever.
    ///
    /// - Returns: The size of each blob in bytes, in the order of `blobs`.
    @discardableResult
    func put(_ blobs: [(name: BlobName, bytes: [UInt8])]) async throws(FileError) -> [Int]

    /// Opens a blob: its size is known then, and of its bytes no more is fetched than what is read.
    ///
    /// - Throws: `FileError`, `not_found` when there is none.
    func reader(of name: BlobName) async throws(FileError) -> BlobReader

    /// One page of a walk over the names, in the order of their bytes.
    ///
    /// - Parameters:
    ///   - walk: A new walk, or what the page before gave as ``BlobPage/next``.
    ///   - limit: The most entries of the page; one at least.
    func page(of walk: BlobWalk, limit: Int) async throws(FileError) -> BlobPage

    /// Deletes blobs. One that is missing is no error; where one cannot be deleted, the others are all the same.
    ///
    /// - Throws: `FileError`, the first thing that was refused.
    func remove(_ names: [BlobName]) async throws(FileError)

    /// The mark that the store's owner has put beside the blobs, and that goes wherever they go; nil when there is none.
    func mark() async throws(FileError) -> [UInt8]?

    /// Replaces the owner's mark, which is no blob.
    func setMark(_ bytes: [UInt8]) async throws(FileError)

    /// Tries whether blobs can be written, and leaves nothing behind.
    ///
    /// - Throws: `FileError`, the first thing that was refused.
    func probe() async throws(FileError)

    // MARK: What has a default

    /// The path of a folder that has each blob as a file by its name, for programs that are given paths; nil when there is none.
    var folderPath: String? { get }

    /// Deletes all blobs of a post. A post without blobs is no error.
    func removeAll(userID: String, postID: String) async throws(FileError)

    /// Puts a blob aside: moves it out of the store into a folder, replacing nothing. A blob that is missing is no error.
    ///
    /// - Throws: `FileError`; `exists` when `fileName` is taken, and the blob is still there then.
    func release(_ name: BlobName, to target: Directory, as fileName: String) async throws(FileError)
}

extension BlobStore {
    /// The default, for stores whose blobs are elsewhere.
    public var folderPath: String? { nil }

    /// The default, for stores that have no folder that could be deleted as a whole.
    public func removeAll(userID: String, postID: String) async throws(FileError) {
        var names: [BlobName] = []
        for entry in try await entries(of: BlobWalk(.names, userID: userID, postID: postID)) {
            names.append(try BlobName(userID: userID, postID: postID, fileName: entry.fileName))
        }
        if !names.isEmpty { try await remove(names) }
    }

    /// The default, for stores whose blobs are no files that could be moved: a copy is made, durably, and the blob deleted.
    public func release(_ name: BlobName, to target: Directory, as fileName: String) async throws(FileError) {
        guard let blob = try await readerIfThere(of: name) else { return }
        let staged = try await FileThreads.run { () throws(FileError) in
            try StagedFile(in: target, name: ".\(UInt64.random(in: .min ... .max)).part")
        }
        try await blob.forEachPiece { bytes throws(FileError) in
            try await FileThreads.run { () throws(FileError) in try staged.write(bytes) }
        }
        try await FileThreads.run { () throws(FileError) in
            _ = try staged.finish()
            try staged.publish(asNew: fileName, in: target)
            try target.sync()
        }
        try await remove([name])
    }

    /// Deletes a blob. One that is missing is no error.
    public func remove(_ name: BlobName) async throws(FileError) { try await remove([name]) }

    /// Opens a blob as a file, for those that need a descriptor or all of its bytes: see ``BlobReader/wholeFile()``.
    ///
    /// - Throws: `FileError`, `not_found` when there is none.
    public func open(_ name: BlobName) async throws(FileError) -> FileReader {
        try await reader(of: name).wholeFile()
    }

    /// Opens a blob as a file; nil when there is none.
    package func openIfThere(_ name: BlobName) async throws(FileError) -> FileReader? {
        try await readerIfThere(of: name)?.wholeFile()
    }

    private func readerIfThere(of name: BlobName) async throws(FileError) -> BlobReader? {
        do throws(FileError) {
            return try await reader(of: name)
        } catch  where error.code == .notFound {
            return nil
        }
    }
}
