public import Files

/// A blob store in a folder of this machine.
///
/// Bytes are written under a temporary name, fsynced, renamed, and the folder is fsynced. Names are resolved component by
/// component from an open descriptor, and no link is followed, so that data can never reach outside the folder.
public final class LocalBlobStore: BlobStore {
    /// The name of the owner's mark, in the folder of all blobs.
    public static let markName = ".store.json"
    /// The names of what belongs there, besides the folders of users; the first is the file system's.
    private static let ownNames: Set = ["lost+found", markName, FolderProbe.name]

    private let root: Directory
    private let staging: Directory

    /// Opens the store at `path`, and makes the folder when it is missing. Blocks.
    ///
    /// - Parameter staging: Where files lie until they are whole, on the same file system. What a crash leaves there ends
    ///   in `.part`, and is for whoever owns the folder to delete.
    public init(path: String, staging: Directory) throws(FileError) {
        root = try Directory(path: path, create: true)
        self.staging = staging
        try FolderProbe(in: root).removeLeftovers()
    }

    /// See ``BlobStore/publish(_:as:)``.
    public func publish(_ staged: StagedFile, as name: BlobName) async throws(FileError) {
        try await FileThreads.run { [self] () throws(FileError) in
            let folder = try folder(of: name, create: true)
            try staged.publish(as: name.fileName, in: folder)
            try folder.sync()
        }
    }

    /// See ``BlobStore/write(_:)``.
    @discardableResult
    public func write(_ blobs: [(name: BlobName, bytes: [UInt8])]) async throws(FileError) -> [Int] {
        // Side by side: the file system makes several files durable with hardly more work than one.
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

    /// Writes a blob unless there is one of its name; the caller syncs its folder.
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

    /// See ``BlobStore/open(_:)``.
    public func open(_ name: BlobName) async throws(FileError) -> FileReader {
        try await FileThreads.run { [self] () throws(FileError) in try folder(of: name).file(name.fileName) }
    }

    /// See ``BlobStore/fileNames(userID:postID:)``.
    public func fileNames(userID: String, postID: String) async throws(FileError) -> [String] {
        try await list { root throws(FileError) in
            try root.folder(userID).folder(postID).names().filter(BlobName.isValid)
        }
    }

    /// See ``BlobStore/files(userID:postID:)``.
    public func files(userID: String, postID: String) async throws(FileError) -> [BlobFile] {
        try await list { root throws(FileError) in try Self.files(userID, postID, in: root) }
    }

    /// See ``BlobStore/files(ofPosts:)``.
    public func files(ofPosts posts: [(userID: String, postID: String)]) async throws(FileError) -> [[BlobFile]] {
        try await FileThreads.run { [root] () throws(FileError) in
            var files: [[BlobFile]] = []
            for (userID, postID) in posts {
                files.append(
                    try Self.unlessMissing { () throws(FileError) in try Self.files(userID, postID, in: root) })
            }
            return files
        }
    }

    private static func files(_ userID: String, _ postID: String, in root: Directory) throws(FileError) -> [BlobFile] {
        try root.folder(userID).folder(postID).entries().filter { BlobName.isValid($0.name) }
            .map { BlobFile(name: $0.name, byteCount: $0.byteCount) }
    }

    /// See ``BlobStore/userIDs()``.
    public func userIDs() async throws(FileError) -> [String] {
        try await list { root throws(FileError) in try root.names().filter { !$0.hasPrefix(".") } }
    }

    /// See ``BlobStore/postIDs(userID:)``.
    public func postIDs(userID: String) async throws(FileError) -> [String] {
        try await list { root throws(FileError) in try root.folder(userID).names() }
    }

    /// See ``BlobStore/strayNames()``.
    public func strayNames() async throws(FileError) -> [String] {
        try await list { root throws(FileError) in
            try root.entries().filter { entry in
                guard !Self.ownNames.contains(entry.name) else { return false }
                return entry.kind != .folder || !BlobName.isValid(entry.name)
            }.map(\.name)
        }
    }

    /// See ``BlobStore/strayNames(inPosts:)``.
    public func strayNames(
        inPosts posts: [(userID: String, postID: String)]
    ) async throws(FileError) -> [[String]] {
        try await FileThreads.run { [root] () throws(FileError) in
            var names: [[String]] = []
            for (userID, postID) in posts {
                names.append(
                    try Self.unlessMissing { () throws(FileError) in
                        try root.folder(userID).folder(postID).names().filter { !BlobName.isValid($0) }
                    })
            }
            return names
        }
    }

    /// See ``BlobStore/release(_:to:as:)``.
    public func release(_ name: BlobName, to target: Directory, as fileName: String) async throws(FileError) {
        try await unlessMissing { store throws(FileError) in
            try store.folder(of: name).move(name.fileName, to: target, as: fileName)
        }
    }

    /// See ``BlobStore/remove(_:)``.
    public func remove(_ name: BlobName) async throws(FileError) {
        try await unlessMissing { store throws(FileError) in
            let folder = try store.folder(of: name)
            try folder.remove(name.fileName)
            try folder.sync()
        }
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

    /// The elements of a list of the folder; empty when the folder is missing, or is none.
    private func list<Element: Sendable>(
        _ body: @escaping @Sendable (Directory) throws(FileError) -> [Element]
    ) async throws(FileError) -> [Element] {
        try await FileThreads.run { [root] () throws(FileError) in
            try Self.unlessMissing { () throws(FileError) in try body(root) }
        }
    }

    private static func unlessMissing<Element>(
        _ body: () throws(FileError) -> [Element]
    ) throws(FileError) -> [Element] {
        do throws(FileError) {
            return try body()
        } catch  where error.code == .notFound || error.code == .wrongKind {
            return []
        }
    }

    private func unlessMissing(
        _ body: @escaping @Sendable (LocalBlobStore) throws(FileError) -> Void
    ) async throws(FileError) {
        try await FileThreads.run { [self] () throws(FileError) in
            do throws(FileError) { try body(self) } catch  where error.code == .notFound {}
        }
    }

    /// Nil when there is no such file.
    private func byteCount(of fileName: String, in folder: Directory) throws(FileError) -> Int? {
        do throws(FileError) {
            return try folder.file(fileName).byteCount()
        } catch  where error.code == .notFound {
            return nil
        }
    }

    /// The folder of a post that has an original: it was made then, and durable before that was acknowledged.
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
