import Glibc
import Synchronization

/// The edit of a small file that people write, such as a configuration file: readers see the old text or the new one, and
/// the file keeps its owner and its mode. One process edits the file at a time.
///
/// The new text is written to `NAME.new` beside the file, whose lock is that of the edit: the kernel releases it when the
/// process ends in any way, and the next edit writes over a file that was left behind.
package final class FileEdit: Sendable {
    /// The path of the file: that of the target if the given one is a symbolic link.
    package let path: String
    /// The text of the file; nil if it does not exist.
    package let original: [UInt8]?

    private let newPath: String
    private let descriptor: Int32
    private let isPublished = Mutex(false)

    /// Begins an edit.
    ///
    /// - Throws: `FileError`, `storage_locked` if another process edits the file.
    package init(path: String) throws(FileError) {
        let target = Self.target(of: path)
        let new = "\(target).new"
        let descriptor = open(new, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(errno: errno, doing: "write beside \(target)") }
        do throws(FileError) {
            try Self.lock(descriptor, at: new, for: target)
            let original = try Self.read(target)
            try Self.adopt(descriptor, ownerOf: target, isThere: original != nil)
            (self.path, self.original, newPath, self.descriptor) = (target, original, new, descriptor)
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    deinit { _ = close(descriptor) }

    /// The path at which the new text can be read before it is published.
    package var stagedPath: String { newPath }

    /// Writes the new text, which nobody sees yet.
    ///
    /// - Throws: `FileError`.
    package func stage(_ bytes: [UInt8]) throws(FileError) {
        var written = 0
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure }
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw failure }
    }

    /// Puts the staged text in the place of the old one, durably.
    ///
    /// - Throws: `FileError`; the old text is there then.
    package func publish() throws(FileError) {
        guard rename(newPath, path) == 0 else { throw failure }
        isPublished.withLock { $0 = true }
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        _ = close(folder)
    }

    /// Ends the edit; a text that was not published is deleted.
    package func end() {
        let wasPublished = isPublished.withLock { isPublished in
            defer { isPublished = true }
            return isPublished
        }
        if !wasPublished { _ = unlink(newPath) }
        _ = flock(descriptor, LOCK_UN)
    }

    private var failure: FileError { FileError(errno: errno, doing: "write \(path)") }

    // MARK: The beginning

    private static func target(of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Locks the new file. It is not the one at its path when another edit has just published it.
    private static func lock(_ descriptor: Int32, at new: String, for path: String) throws(FileError) {
        var (own, named) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &own) == 0, lstat(new, &named) == 0,
            own.st_ino == named.st_ino, own.st_dev == named.st_dev
        else {
            throw FileError(.locked, "another command is changing \(path)", hint: "Wait until it has ended.")
        }
    }

    private static func read(_ path: String) throws(FileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(errno: errno, doing: "read \(path)")
        }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(errno: errno, doing: "read \(path)") }
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }

    /// Gives the new file the owner and the mode of the old one. A file that did not exist gets the owner of its folder,
    /// whose service reads it, and no rights for others.
    private static func adopt(_ descriptor: Int32, ownerOf path: String, isThere: Bool) throws(FileError) {
        var (old, own) = (stat(), stat())
        let source = isThere ? path : folder(of: path)
        guard stat(source, &old) == 0, fstat(descriptor, &own) == 0 else {
            throw FileError(errno: errno, doing: "read status of \(source)")
        }
        let isOther = old.st_uid != own.st_uid || old.st_gid != own.st_gid
        if isOther, isThere || geteuid() == 0, fchown(descriptor, old.st_uid, old.st_gid) != 0 {
            throw FileError(
                .permission, "\(path) belongs to another user or group, which a new text would lose",
                hint: "Run the command as its owner, or as root.")
        }
        guard fchmod(descriptor, isThere ? old.st_mode & 0o7777 : 0o640) == 0 else {
            throw FileError(errno: errno, doing: "set the mode of \(path)")
        }
    }
}
