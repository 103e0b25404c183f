import CPlatform
import Glibc

/// The right to work on a Storage folder, held by one process at a time.
///
/// An advisory `flock` on the file `lock`, which holds the process id of the holder for people to read. The kernel
/// lets go of it when the process ends, however it ends, so that it is never stale.
public final class StorageLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock of the folder.
    ///
    /// - Throws: `BlobError`, `storage_locked` naming the process that has it.
    public init(in folder: Directory) throws(BlobError) {
        let path = "\(folder.path)/lock"
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let descriptor = cplatform_openat(folder.descriptor, "lock", flags, 0o640)
        guard descriptor >= 0 else { throw BlobError(errno: -descriptor, doing: "open \(path)") }
        self.descriptor = descriptor
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw BlobError(
                .locked, "\(folder.path) is in use by process \(Self.holder(descriptor) ?? "unknown")",
                hint: "stop that service, or choose another folder with --storage")
        }
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else {
            throw BlobError(errno: errno, doing: "write \(path)")
        }
    }

    deinit {
        _ = close(descriptor)
    }

    /// Gives the lock back before the last reference goes. Nothing of Storage may be touched afterwards.
    public func release() {
        _ = flock(descriptor, LOCK_UN)
    }

    private static func holder(_ descriptor: Int32) -> String? {
        let reader = FileReader(descriptor: dup(descriptor))
        guard let bytes = try? reader.read(at: 0, maxBytes: 32) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).first
        return text.map(String.init)
    }
}
