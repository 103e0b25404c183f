import CPlatform
import Glibc
import Synchronization

/// The right to work on a Storage folder, held by one process at a time.
///
/// Advisory locks (`flock`) on the folder itself, which nobody can delete and make anew unnoticed, and on the file `lock` in
/// it, which holds the process id of the holder for people to read, and works where a file system locks no folders. The
/// kernel lets go of both when the process ends, however it ends, so that they are never stale.
public final class FolderLock: Sendable {
    private static let name = "lock"

    private let folder: Directory
    /// The open file `lock`.
    private let file: Mutex<Int32>

    /// Takes the lock of the folder.
    ///
    /// - Throws: `FileError`, `storage_locked` naming the process that has it.
    public init(in folder: Directory) throws(FileError) {
        self.folder = folder
        // (Some network file systems lock no folders: there the file has to do.)
        if flock(folder.descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw Self.locked(folder) }
        do throws(FileError) {
            file = Mutex(try Self.take(in: folder))
        } catch {
            _ = flock(folder.descriptor, LOCK_UN)
            throw error
        }
    }

    /// Takes the lock of the folder, and waits a second for a process that is on its way out: one that was killed has it until
    /// the kernel has taken everything from it.
    ///
    /// - Parameter pause: A twentieth of the wait.
    /// - Throws: `FileError`, `storage_locked` naming the process that has it.
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

    /// Gives the lock back before the last reference goes. Nothing of Storage may be touched afterwards.
    public func release() {
        _ = flock(file.withLock { $0 }, LOCK_UN)
        _ = flock(folder.descriptor, LOCK_UN)
    }

    /// Makes the file `lock` anew if somebody has deleted or replaced it.
    ///
    /// - Returns: Whether there was a reason to.
    /// - Throws: `FileError`, `storage_locked` when another process has the lock by that file.
    public func renew() throws(FileError) -> Bool {
        try file.withLock { file throws(FileError) in
            var status = stat()
            guard fstat(file, &status) == 0 else { throw folder.failure("look at", Self.name) }
            if let entry = try folder.entry(Self.name), entry.inode == UInt64(status.st_ino) { return false }
            let newFile = try Self.take(in: folder)
            _ = close(file)
            file = newFile
            return true
        }
    }

    /// Opens the file, takes its lock, and puts our process id there.
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
        // On a full disk the number is not there: it is for people alone.
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
            hint: "stop that service, or choose another folder with --storage")
    }
}
