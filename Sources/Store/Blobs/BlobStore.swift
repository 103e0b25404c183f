public import Files

/// A store of the files of posts, which never change, by name: `user_id/post_id/file_name`.
///
/// It requires only the operations of an object store: put, get, list by prefix, delete. A blob exists whole or not at
/// all, and the writes of a call are durable when it returns. Any number of tasks may call at the same time, and
/// repeating a call after a crash is harmless. Every store passes the same tests (`BlobStoreTests`);
/// `Documentation/Extending.md` explains how to write a new one.
public protocol BlobStore: Sendable {
    /// Moves a finished file into the store, and removes its temporary name. A file that an earlier attempt has left
    /// under the name is replaced.
    ///
    /// - Parameter staged: A file whose size and SHA-256 are known (``StagedFile/contents()``).
    /// - Throws: `FileError`; `io` for a file that is not finished.
    func put(_ staged: StagedFile, as name: BlobName) async throws(FileError)

    /// Writes several blobs of one post from memory.
    ///
    /// A blob that exists already is not replaced: readers may cache its bytes for ever.
    ///
    /// - Returns: The size of each blob in bytes, in the order of `blobs`.
    @discardableResult
    func put(_ blobs: [(name: BlobName, bytes: [UInt8])]) async throws(FileError) -> [Int]

    /// Opens a blob. Its size is then known; of its bytes, only those that are read are fetched.
    ///
    /// - Throws: `FileError`, `not_found` if the blob does not exist.
    func reader(of name: BlobName) async throws(FileError) -> BlobReader

    /// Returns one page of a walk over the names, in the order of their bytes.
    ///
    /// - Parameters:
    ///   - walk: A new walk, or the ``BlobPage/next`` of the page before.
    ///   - limit: The maximum number of entries of the page; at least one.
    func page(of walk: BlobWalk, limit: Int) async throws(FileError) -> BlobPage

    /// Deletes blobs. A missing blob is not an error; if one cannot be deleted, the others are deleted all the same.
    ///
    /// - Throws: `FileError`, the first error.
    func remove(_ names: [BlobName]) async throws(FileError)

    /// Returns the mark that the store's owner has written beside the blobs, and that stays with them; nil if there is
    /// none.
    func mark() async throws(FileError) -> [UInt8]?

    /// Replaces the owner's mark, which does not count as a blob.
    func setMark(_ bytes: [UInt8]) async throws(FileError)

    /// Checks that blobs can be written, and leaves nothing behind.
    ///
    /// - Throws: `FileError`, the first error.
    func probe() async throws(FileError)

    // MARK: Requirements with defaults

    /// The path of a folder that has each blob as a file of its name, for programs that need paths; nil if there is
    /// none.
    var folderPath: String? { get }

    /// Deletes all blobs of a post. A post without blobs is not an error.
    func removeAll(userID: String, postID: String) async throws(FileError)

    /// Puts a blob aside: moves it out of the store into a folder, without replacing a file there. A missing blob is
    /// not an error.
    ///
    /// - Throws: `FileError`; `exists` if `fileName` is taken, in which case the blob stays in the store.
    func release(_ name: BlobName, to target: Directory, as fileName: String) async throws(FileError)
}

extension BlobStore {
    /// The default, for stores whose blobs are elsewhere.
    public var folderPath: String? { nil }

    /// The default, for stores without folders that could be deleted as a whole.
    public func removeAll(userID: String, postID: String) async throws(FileError) {
        var names: [BlobName] = []
        for entry in try await entries(of: BlobWalk(.names, userID: userID, postID: postID)) {
            names.append(try BlobName(userID: userID, postID: postID, fileName: entry.fileName))
        }
        if !names.isEmpty { try await remove(names) }
    }

    /// The default, for stores whose blobs are not local files: the blob is copied, durably, and then deleted.
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

    /// Deletes a blob. A missing blob is not an error.
    public func remove(_ name: BlobName) async throws(FileError) { try await remove([name]) }

    /// Opens a blob as a file, for code that needs a descriptor or all of its bytes; see ``BlobReader/wholeFile()``.
    ///
    /// - Throws: `FileError`, `not_found` if the blob does not exist.
    public func open(_ name: BlobName) async throws(FileError) -> FileReader {
        try await reader(of: name).wholeFile()
    }

    /// Opens a blob as a file; nil if it does not exist.
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
