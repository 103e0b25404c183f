import CPlatform
import Failpoints
import Glibc
import Synchronization

/// A folder that is held open by its descriptor: names are resolved in it, never through a path that could be swapped.
///
/// Every name is one component. No symbolic link is ever followed. Calls block; none may run on the cooperative pool
/// for long. Safe to use from any thread: the number of the descriptor never changes, and the kernel serialises the
/// operations that must not overlap.
public final class Directory: Sendable {
    /// The path by which the folder was opened; for messages, not for access.
    public let path: String
    let descriptor: Int32
    /// The maximum depth of folders that is processed by recursion.
    static let maxDepth = 64
    /// The folders in this one that are known to be durable; opening them with `create` costs no fsync.
    private let durable = Mutex<Set<String>>([])
    private static let maxRemembered = 4096

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        _ = close(descriptor)
    }

    /// Opens the folder at `path`, which the operator chose; symbolic links in the path are followed.
    ///
    /// - Throws: `FileError`, `not_found` if it is missing and `create` is false.
    public convenience init(path: String, create: Bool = false) throws(FileError) {
        let isNew = create && Failpoint.makeFolder.around(path, { mkdir(path, 0o750) }) == 0
        if create, !isNew, errno != EEXIST { throw FileError(errno: errno, doing: "create \(path)") }
        let descriptor = cplatform_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "open folder \(path)") }
        self.init(descriptor: descriptor, path: path)
        guard isNew else { return }
        // The folder's own name is made durable if the folder above it may be opened.
        let parent = cplatform_openat(descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        if parent >= 0 { try Directory(descriptor: parent, path: "\(path)/..").sync() }
    }

    /// Opens a folder in this one; with `create`, creates it first, durably.
    public func folder(_ name: String, create: Bool = false) throws(FileError) -> Directory {
        try checkFileName(name)
        if create { try make(name) }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        return Directory(descriptor: try open(name, flags), path: "\(path)/\(name)")
    }

    /// Opens a folder several levels down; with `create`, creates those that are missing.
    public func folder(below names: [String], create: Bool = false) throws(FileError) -> Directory {
        var folder = self
        for name in names { folder = try folder.folder(name, create: create) }
        return folder
    }

    /// Creates a folder. If it exists already, makes it durable: the process that created it may have been interrupted,
    /// or have met a fault, before it was.
    private func make(_ name: String) throws(FileError) {
        let isNew = Failpoint.makeFolder.around("\(path)/\(name)", { mkdirat(descriptor, name, 0o750) }) == 0
        if !isNew {
            if errno == ENOENT { throw .vanished(path) }
            guard errno == EEXIST else { throw failure("create folder", name) }
            if durable.withLock({ $0.contains(name) }) { return }
        }
        do throws(FileError) {
            try sync()
        } catch {
            // So that the next attempt creates it again: a second fsync would not report the failure of the first.
            if isNew { _ = delete(name, AT_REMOVEDIR) }
            throw error
        }
        durable.withLock { names in
            if names.count >= Self.maxRemembered { names = [] }
            names.insert(name)
        }
    }

    /// Opens a regular file for reading; anything else (a link, FIFO, folder or device) is refused without blocking.
    public func file(_ name: String) throws(FileError) -> FileReader {
        try checkFileName(name)
        let reader = FileReader(descriptor: try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        try reader.checkIsRegular(named: "\(path)/\(name)")
        return reader
    }

    /// Creates a file that does not exist yet, for writing.
    func create(_ name: String) throws(FileError) -> Int32 {
        try checkFileName(name)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = Failpoint.create.around("\(path)/\(name)") { cplatform_openat(descriptor, name, flags, 0o640) }
        if file == -ENOENT { throw .vanished(path) }
        guard file >= 0 else { throw FileError(errno: -file, doing: "create \(path)/\(name)") }
        return file
    }

    /// Moves `name` into another folder of the same file system, without replacing a file there, and makes both folders
    /// durable.
    ///
    /// If it throws, the file is where it was, unless moving it back failed as well.
    ///
    /// - Throws: `FileError`, `exists` if `newName` is taken.
    public func move(_ name: String, to target: Directory, as newName: String) throws(FileError) {
        try checkFileName(name)
        try checkFileName(newName)
        let result = Failpoint.rename.around("\(target.path)/\(newName)") {
            cplatform_rename_noreplace(descriptor, name, target.descriptor, newName)
        }
        guard result == 0 else {
            throw FileError(errno: -result, doing: "move \(path)/\(name) to \(target.path)/\(newName)")
        }
        do throws(FileError) {
            try target.sync()
            if target !== self { try sync() }
        } catch {
            // The next attempt moves it again: a second fsync would not report the failure of the first.
            _ = Failpoint.rename.around("\(path)/\(name)") {
                cplatform_rename_noreplace(target.descriptor, newName, descriptor, name)
            }
            throw error
        }
    }

    /// Renames a file within this folder from a name that need not be text, without replacing a file. Durable on
    /// return.
    public func rename(_ name: RawName, to newName: String) throws(FileError) {
        try checkFileName(newName)
        let result = Failpoint.rename.around("\(path)/\(newName)") {
            name.withCString { cplatform_rename_noreplace(descriptor, $0, descriptor, newName) }
        }
        guard result == 0 else { throw FileError(errno: -result, doing: "rename \(path)/\(name.escaped)") }
        try sync()
    }

    /// Switches this value, for all who hold it, to the folder that has the name in `parent` now, if that is another
    /// one: because the folder was replaced or covered by a mount, or was deleted, in which case it is created.
    ///
    /// - Returns: Whether the folder was another one.
    public func renew(as name: String, in parent: Directory) throws(FileError) -> Bool {
        if let identity = try parent.entry(name)?.identity, identity == (try entry(".")?.identity) { return false }
        let other = try parent.folder(name, create: true)
        let result = cplatform_replace(descriptor, other.descriptor)
        guard result == 0 else { throw FileError(errno: -result, doing: "switch to \(path)") }
        durable.withLock { $0 = [] }
        return true
    }

    /// Deletes a file, or an empty folder. A missing file is not an error.
    public func remove(_ name: String) throws(FileError) {
        try checkFileName(name)
        if delete(name) == 0 || errno == ENOENT { return }
        let failure = failure("delete", name)
        if errno == EISDIR || errno == EPERM, delete(name, AT_REMOVEDIR) == 0 { return }
        throw failure
    }

    /// Deletes a folder with its contents. A missing folder is not an error.
    public func removeTree(_ name: String) throws(FileError) {
        durable.withLock { _ = $0.remove(name) }
        let folder: Directory
        do throws(FileError) {
            folder = try self.folder(name)
        } catch  where error.code == .notFound {
            return
        } catch  where error.code == .wrongKind {
            return try remove(name)
        }
        try FolderRemoval(in: folder).run()
        guard delete(name, AT_REMOVEDIR) == 0 || errno == ENOENT else { throw failure("delete", name) }
    }

    private func delete(_ name: String, _ flags: Int32 = 0) -> Int32 {
        Failpoint.delete.around("\(path)/\(name)") { unlinkat(descriptor, name, flags) }
    }

    /// Makes renames, creations and deletions in this folder durable.
    public func sync() throws(FileError) {
        guard Failpoint.fsyncFolder.around(path, { fsync(descriptor) }) == 0 else {
            throw FileError(errno: errno, doing: "fsync folder \(path)")
        }
    }

    private func open(_ name: String, _ flags: Int32) throws(FileError) -> Int32 {
        let descriptor = cplatform_openat(descriptor, name, flags, 0)
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "open \(path)/\(name)") }
        return descriptor
    }

    func failure(_ action: String, _ name: String) -> FileError {
        FileError(errno: errno, doing: "\(action) \(path)/\(name)")
    }
}
