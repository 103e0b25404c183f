import CPlatform
import Glibc
import Synchronization

/// The lock of a Storage folder, which one process holds at a time.
///
/// It consists of advisory locks (`flock`) on the folder itself, which cannot be deleted and created again unnoticed,
/// and on the file `lock` in it, which contains the process id of the holder for people to read, and which serves where
/// a file system cannot lock folders. The kernel releases both when the process ends in any way, so that they are never
/// stale.
public final class FolderLock: Sendable {
    private static let name = "lock"

    private let folder: Directory
    /// The descriptor of the file `lock`.
    private let file: Mutex<Int32>

    /// Acquires the lock of a folder.
    ///
    /// - Throws: `FileError`, `storage_locked` with the id of the process that holds it.
    public init(in folder: Directory) throws(FileError) {
        self.folder = folder
        // (Some network file systems cannot lock folders; then the lock on the file must do.)
        if flock(folder.descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw Self.locked(folder) }
        do throws(FileError) {
            file = Mutex(try Self.take(in: folder))
        } catch {
            _ = flock(folder.descriptor, LOCK_UN)
            throw error
        }
    }

    /// Acquires the lock of a folder, and waits up to a second for a process that is ending: after a process is killed,
    /// it holds the lock until the kernel has released all its resources.
    ///
    /// - Parameter pause: The pause between two attempts, a twentieth of the wait.
    /// - Throws: `FileError`, `storage_locked` with the id of the process that holds it.
    public static func waiting(
        in folder: Directory, pause: () async -> Void = { try? await Task.sleep(for: .milliseconds(50)) }
    ) async throws(FileError) -> FolderLock {
        for _ in 0..<20 {
            do throws(FileError) {
                return try FolderLock(in: folder)
            } catch {
                guard error.code == .locked else { throw error }
                await pause()
            }
        }
        return try FolderLock(in: folder)
    }

    deinit {
        _ = close(file.withLock { $0 })
    }

    /// Releases the lock before the last reference is released. The Storage folder must not be used afterwards.
    public func release() {
        _ = flock(file.withLock { $0 }, LOCK_UN)
        _ = flock(folder.descriptor, LOCK_UN)
    }

    /// Creates the file `lock` again if it was deleted or replaced.
    ///
    /// - Returns: Whether it was.
    /// - Throws: `FileError`, `storage_locked` if another process holds the lock on that file.
    public func renew() throws(FileError) -> Bool {
        try file.withLock { file throws(FileError) in
            var status = stat()
            guard fstat(file, &status) == 0 else { throw folder.failure("read status of", Self.name) }
            if let entry = try folder.entry(Self.name), entry.inode == UInt64(status.st_ino) { return false }
            let newFile = try Self.take(in: folder)
            _ = close(file)
            file = newFile
            return true
        }
    }

    /// Opens the file, acquires its lock, and writes the process id to it.
    private static func take(in folder: Directory) throws(FileError) -> Int32 {
        let path = "\(folder.path)/\(name)"
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let file = cplatform_openat(folder.descriptor, name, flags, 0o640)
        guard file >= 0 else { throw FileError(errno: -file, doing: "open \(path)") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(file)
            throw locked(folder)
        }
        let text = "\(getpid())\n"
        // On a full disk the process id is missing; it is only for people.
        guard ftruncate(file, 0) == 0,
            pwrite(file, text, text.utf8.count, 0) >= 0 || errno == ENOSPC || errno == EDQUOT
        else {
            let failure = FileError(errno: errno, doing: "write \(path)")
            _ = close(file)
            throw failure
        }
        return file
    }

    private static func locked(_ folder: Directory) -> FileError {
        let bytes = try? folder.file(name).read(at: 0, maxBytes: 32)
        let holder = bytes.flatMap { String(decoding: $0, as: UTF8.self).split(whereSeparator: \.isWhitespace).first }
        return FileError(
            .locked, "\(folder.path) is in use by process \(holder ?? "unknown")",
            hint: "Stop that service, or choose another folder with --storage.")
    }
}
