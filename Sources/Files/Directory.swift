import CPlatform
import Failpoints
import Glibc
import Synchronization

/// A folder held open by its descriptor: names are resolved in it, never through a path that somebody could swap.
///
/// Every name is one component. No symbolic link is ever followed. Calls block; none may run on the cooperative pool
/// for long. Safe to use from any thread: the descriptor's number never changes and the kernel serialises what matters.
public final class Directory: Sendable {
    /// The path by which the folder was opened: for messages, not for access.
    public let path: String
    let descriptor: Int32
    /// Folders in this one that are known to be durable: asking for them costs no fsync.
    private let durable = Mutex<Set<String>>([])
    private static let maxRemembered = 4096

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        _ = close(descriptor)
    }

    /// Opens the folder at `path`, which the operator chose: symbolic links in it are the operator's own.
    ///
    /// - Throws: `FileError`, `not_found` when it is missing and `create` is false.
    public convenience init(path: String, create: Bool = false) throws(FileError) {
        let isNew = create && Failpoint.makeFolder.around(path, { mkdir(path, 0o750) }) == 0
        if create, !isNew, errno != EEXIST { throw FileError(errno: errno, doing: "create \(path)") }
        let descriptor = cplatform_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "open folder \(path)") }
        self.init(descriptor: descriptor, path: path)
        if isNew { try syncParent() }
    }

    /// Makes the folder's own name durable, as far as the one above it may be opened.
    private func syncParent() throws(FileError) {
        let parent = cplatform_openat(descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard parent >= 0 else { return }
        try Directory(descriptor: parent, path: "\(path)/..").sync()
    }

    /// Opens a folder in this one; with `create`, makes it first, durably.
    public func folder(_ name: String, create: Bool = false) throws(FileError) -> Directory {
        try check(name)
        if create { try make(name) }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        return Directory(descriptor: try open(name, flags), path: "\(path)/\(name)")
    }

    /// Makes a folder, or makes sure that one which is there already will stay: whoever made it may have been cut off, or
    /// met a fault, before it was durable.
    private func make(_ name: String) throws(FileError) {
        let isNew = Failpoint.makeFolder.around("\(path)/\(name)", { mkdirat(descriptor, name, 0o750) }) == 0
        if !isNew {
            if errno == ENOENT { throw vanished() }
            guard errno == EEXIST else { throw failure("create folder", name) }
            if durable.withLock({ $0.contains(name) }) { return }
        }
        do throws(FileError) {
            try sync()
        } catch {
            // So that the next try makes it anew: a second fsync would say nothing about the first.
            if isNew { _ = delete(name, AT_REMOVEDIR) }
            throw error
        }
        durable.withLock { names in
            if names.count >= Self.maxRemembered { names = [] }
            names.insert(name)
        }
    }

    /// Opens a regular file for reading; anything else (link, FIFO, folder, device) is refused without blocking.
    public func file(_ name: String) throws(FileError) -> FileReader {
        try check(name)
        let reader = FileReader(descriptor: try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        try reader.checkIsRegular(named: "\(path)/\(name)")
        return reader
    }

    /// Creates a file that was not there before, for writing.
    func create(_ name: String) throws(FileError) -> Int32 {
        try check(name)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = Failpoint.create.around("\(path)/\(name)") { cplatform_openat(descriptor, name, flags, 0o640) }
        if file == -ENOENT { throw vanished() }
        guard file >= 0 else { throw FileError(errno: -file, doing: "create \(path)/\(name)") }
        return file
    }

    /// Moves `name` into another folder of the same file system, replacing nothing, and makes both folders durable.
    ///
    /// When it throws, the file is where it was; unless putting it back was refused as well.
    ///
    /// - Throws: `FileError`, `exists` when `newName` is taken.
    public func move(_ name: String, to target: Directory, as newName: String) throws(FileError) {
        try check(name)
        try check(newName)
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
            // The next try moves it anew: a second fsync would say nothing about the first.
            _ = Failpoint.rename.around("\(path)/\(name)") {
                cplatform_rename_noreplace(target.descriptor, newName, descriptor, name)
            }
            throw error
        }
    }

    /// Deletes a file, or an empty folder. Missing is success: deletion is idempotent.
    public func remove(_ name: String) throws(FileError) {
        try check(name)
        if delete(name) == 0 || errno == ENOENT { return }
        let failure = failure("delete", name)
        if errno == EISDIR || errno == EPERM, delete(name, AT_REMOVEDIR) == 0 { return }
        throw failure
    }

    /// Deletes a folder and all that is in it. Missing is success.
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
        try folder.removeContents()
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

    /// Opens a folder some levels down; with `create`, makes what is missing.
    public func folder(below names: [String], create: Bool = false) throws(FileError) -> Directory {
        var folder = self
        for name in names { folder = try folder.folder(name, create: create) }
        return folder
    }

    /// Tries what taking files out of the folder needs: creates, renames and removes one.
    ///
    /// - Throws: `FileError` that says what cannot be done.
    public func checkAccess() throws(FileError) {
        let (name, other) = (".tintype-probe", ".tintype-probe-renamed")
        try remove(name)
        try remove(other)
        _ = close(try create(name))
        let result = Failpoint.rename.around("\(path)/\(other)") { renameat(descriptor, name, descriptor, other) }
        guard result == 0 else { throw failure("rename", name) }
        try remove(other)
    }

    // MARK: -

    private func open(_ name: String, _ flags: Int32) throws(FileError) -> Int32 {
        let descriptor = cplatform_openat(descriptor, name, flags, 0)
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "open \(path)/\(name)") }
        return descriptor
    }

    func check(_ name: String) throws(FileError) {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
            throw FileError(.badName, "\"\(name)\" is not the name of a file", hint: "use one name without / in it")
        }
    }

    /// What is wrong when nothing can be made in the folder because it is deleted itself.
    func vanished() -> FileError {
        FileError(.folderVanished, "\(path) was removed or moved away", hint: "put it back")
    }

    /// Turns to another folder. All who hold this one follow.
    func follow(_ other: Directory) throws(FileError) {
        let result = cplatform_replace(descriptor, other.descriptor)
        guard result == 0 else { throw FileError(errno: -result, doing: "turn to \(path)") }
        durable.withLock { $0 = [] }
    }

    func failure(_ action: String, _ name: String) -> FileError {
        FileError(errno: errno, doing: "\(action) \(path)/\(name)")
    }
}
