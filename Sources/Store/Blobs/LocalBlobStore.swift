public import Files
import Foundation

/// A blob store in a folder of this machine.
///
/// Bytes are written under a temporary name, fsynced, renamed, and the folder is fsynced. Names are resolved component
/// by component from an open descriptor, and no link is followed, so that data can never leave the folder.
public final class LocalBlobStore: BlobStore {
    /// The name of the owner's mark, in the root folder.
    public static let markName = ".store.json"
    /// The names that belong in the root folder, apart from the folders of users; the first is created by the file
    /// system.
    static let ownNames: Set = ["lost+found", markName, FolderProbe.name]

    /// See ``BlobStore/folderPath``. It is absolute.
    public let folderPath: String?
    let root: Directory
    private let staging: Directory

    /// Opens the store at `path`, and creates the folder if it is missing. Blocks.
    ///
    /// - Parameter staging: The folder for files that are not whole yet, on the same file system. The names of files
    ///   that a crash leaves there end in `.part`; the owner of the folder must delete them.
    public init(path: String, staging: Directory) throws(FileError) {
        root = try Directory(path: path, create: true)
        folderPath = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL.path
        self.staging = staging
        try FolderProbe(in: root).removeLeftovers()
    }

    /// See ``BlobStore/put(_:as:)``.
    public func put(_ staged: StagedFile, as name: BlobName) async throws(FileError) {
        try await FileThreads.run { [self] () throws(FileError) in
            let folder = try folder(of: name, create: true)
            try staged.publish(as: name.fileName, in: folder)
            try folder.sync()
        }
    }

    /// See ``BlobStore/put(_:)``.
    @discardableResult
    public func put(_ blobs: [(name: BlobName, bytes: [UInt8])]) async throws(FileError) -> [Int] {
        // Concurrently: the file system makes several files durable with hardly more work than one.
        let results = await withTaskGroup(of: (Int, Result<Int, FileError>).self) { group in
            for (index, blob) in blobs.enumerated() {
                group.addTask { [self] in (index, await written(blob.bytes, as: blob.name)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var byteCounts: [Int] = []
        for index in blobs.indices {
            if let result = results[index] { byteCounts.append(try result.get()) }
        }
        guard let name = blobs.first?.name else { return [] }
        try await FileThreads.run { [self] () throws(FileError) in try folder(of: name).sync() }
        return byteCounts
    }

    /// Writes a blob unless it exists already; the caller syncs its folder.
    ///
    /// - Returns: The size of the blob in bytes.
    private func written(_ bytes: [UInt8], as name: BlobName) async -> Result<Int, FileError> {
        do throws(FileError) {
            let size = try await FileThreads.run { [self] () throws(FileError) in
                let folder = try existingFolder(of: name)
                if let byteCount = try byteCount(of: name.fileName, in: folder) { return byteCount }
                try StagedFile(holding: bytes, in: staging).publish(as: name.fileName, in: folder)
                return bytes.count
            }
            return .success(size)
        } catch {
            return .failure(error)
        }
    }

    /// See ``BlobStore/reader(of:)``.
    public func reader(of name: BlobName) async throws(FileError) -> BlobReader {
        try await FileThreads.run { [self] () throws(FileError) in
            try BlobReader(try folder(of: name).file(name.fileName))
        }
    }

    /// See ``BlobStore/page(of:limit:)``.
    public func page(of walk: BlobWalk, limit: Int) async throws(FileError) -> BlobPage {
        try await FileThreads.run { [root] () throws(FileError) in
            var position: LocalBlobWalk
            if let known = walk.memory as? LocalBlobWalk {
                position = known
            } else {
                position = try LocalBlobWalk(walk, in: root)
            }
            var page = BlobPage()
            let isAtEnd = try position.fill(&page, upTo: limit)
            if !isAtEnd { page.next = walk.behind(page.entries.last?.path, memory: position) }
            return page
        }
    }

    /// See ``BlobStore/release(_:to:as:)``.
    public func release(_ name: BlobName, to target: Directory, as fileName: String) async throws(FileError) {
        try await unlessMissing { store throws(FileError) in
            try store.folder(of: name).move(name.fileName, to: target, as: fileName)
        }
    }

    /// See ``BlobStore/remove(_:)-([BlobName])``.
    public func remove(_ names: [BlobName]) async throws(FileError) {
        let failure = await FileThreads.run { [self] in
            var failure: FileError?
            let posts = Dictionary(grouping: names) { "\($0.userID)/\($0.postID)" }
            for (_, names) in posts.sorted(by: { $0.key < $1.key }) {
                do throws(FileError) { try removeFromFolder(names) } catch { failure = failure ?? error }
            }
            return failure
        }
        if let failure { throw failure }
    }

    /// Deletes as many of the blobs, all of one post, as possible, durably.
    private func removeFromFolder(_ names: [BlobName]) throws(FileError) {
        guard let first = names.first else { return }
        let folder: Directory
        do throws(FileError) { folder = try self.folder(of: first) } catch  where error.code == .notFound { return }
        var failure: FileError?
        for name in names {
            do throws(FileError) { try folder.remove(name.fileName) } catch { failure = failure ?? error }
        }
        try folder.sync()
        if let failure { throw failure }
    }

    /// See ``BlobStore/removeAll(userID:postID:)``.
    public func removeAll(userID: String, postID: String) async throws(FileError) {
        try await unlessMissing { store throws(FileError) in
            let user = try store.root.folder(userID)
            try user.removeTree(postID)
            try user.sync()
        }
    }

    /// See ``BlobStore/mark()``.
    public func mark() async throws(FileError) -> [UInt8]? {
        try await FileThreads.run { [root] () throws(FileError) in
            guard try root.entry(Self.markName) != nil else { return nil }
            return try root.file(Self.markName).readAll(maxBytes: 4096)
        }
    }

    /// See ``BlobStore/setMark(_:)``.
    public func setMark(_ bytes: [UInt8]) async throws(FileError) {
        try await FileThreads.run { [root, staging] () throws(FileError) in
            try root.write(bytes, as: Self.markName, staging: staging)
        }
    }

    /// See ``BlobStore/probe()``.
    public func probe() async throws(FileError) {
        try await FileThreads.run { [root] () throws(FileError) in try FolderProbe(in: root).tryWriting() }
    }

    // MARK: -

    private func unlessMissing(
        _ body: @escaping @Sendable (LocalBlobStore) throws(FileError) -> Void
    ) async throws(FileError) {
        try await FileThreads.run { [self] () throws(FileError) in
            do throws(FileError) { try body(self) } catch  where error.code == .notFound {}
        }
    }

    /// The size of a file, in bytes; nil if it does not exist.
    private func byteCount(of fileName: String, in folder: Directory) throws(FileError) -> Int? {
        do throws(FileError) {
            return try folder.file(fileName).byteCount()
        } catch  where error.code == .notFound {
            return nil
        }
    }

    /// The folder of a post that has an original. It was created and made durable before the original was acknowledged.
    private func existingFolder(of name: BlobName) throws(FileError) -> Directory {
        do throws(FileError) {
            return try folder(of: name)
        } catch  where error.code == .notFound {
            return try folder(of: name, create: true)
        }
    }

    private func folder(of name: BlobName, create: Bool = false) throws(FileError) -> Directory {
        try root.folder(name.userID, create: create).folder(name.postID, create: create)
    }
}
