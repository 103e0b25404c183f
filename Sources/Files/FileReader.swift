import CPlatform
import Cryptography
import Glibc

/// A file that is open for reading, and closed when the last reference is released.
///
/// Each read specifies its offset, so that any number of threads can share one reader. Methods block on the disk.
public final class FileReader: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens the regular file at `path`, which a user chose; symbolic links in the path are followed.
    ///
    /// - Throws: `FileError`: `not_found`, `wrong_kind` for a folder, a FIFO or a device (none of which blocks), …
    public convenience init(path: String) throws(FileError) {
        let descriptor = cplatform_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "open \(path)") }
        self.init(descriptor: descriptor)
        try checkIsRegular(named: path)
    }

    deinit {
        _ = close(descriptor)
    }

    func checkIsRegular(named name: String) throws(FileError) {
        guard try status(named: name).st_mode & S_IFMT == S_IFREG else {
            throw FileError(.wrongKind, "\(name) is not a regular file", hint: "Name the file itself.")
        }
    }

    func status(named name: String) throws(FileError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(errno: errno, doing: "read status of \(name)") }
        return status
    }

    /// Calls `body` with the file's descriptor, which stays open while the body runs. The body must not close it.
    public func withDescriptor<R>(_ body: (Int32) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(descriptor) }
    }

    /// The attributes by which a later change of a file is detected: each write sets the change time, which cannot be
    /// set back.
    public struct Version: Hashable, Sendable {
        /// Size in bytes.
        public let byteCount: Int
        /// The time of the last change to the bytes, in nanoseconds since the epoch; the file's owner can set it to any
        /// value.
        public let modifiedNanoseconds: Int64
        /// The time of the last change to anything about the file, in nanoseconds since the epoch.
        public let changedNanoseconds: Int64
        /// The number of names (hard links) that the file has.
        public let linkCount: Int
    }

    /// Returns the file's present version.
    public func version() throws(FileError) -> Version {
        let status = try status(named: "open file")
        return Version(
            byteCount: status.st_size, modifiedNanoseconds: status.st_mtim.nanoseconds,
            changedNanoseconds: status.st_ctim.nanoseconds, linkCount: Int(status.st_nlink))
    }

    /// Returns the file's present size in bytes.
    public func byteCount() throws(FileError) -> Int {
        try status(named: "open file").st_size
    }

    /// The permission bits of the file, as in `chmod`; nil if the system does not report them.
    public var permissions: UInt32? {
        (try? status(named: "open file")).map { $0.st_mode & 0o777 }
    }

    /// Whether a process has the file open for writing; nil if the file system does not report that.
    public var hasWriter: Bool? {
        switch cplatform_has_writer(descriptor) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Reads up to `maxBytes` from `offset`; an empty array means the end.
    public func read(at offset: Int, maxBytes: Int) throws(FileError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            while count < maxBytes {
                let result = pread(descriptor, buffer.baseAddress.map { $0 + count }, maxBytes - count, offset + count)
                if result < 0, errno == EINTR { continue }
                if result < 0 { failure = errno }
                guard result > 0 else { break }
                count += result
            }
        }
        guard failure == 0 else { throw FileError(errno: failure, doing: "read") }
        return bytes
    }

    /// Reads the whole file; of one that is longer than `maxBytes`, reads one byte more than that, so that the caller
    /// can tell.
    public func readAll(maxBytes: Int) throws(FileError) -> [UInt8] {
        let byteCount = try byteCount()
        return try read(at: 0, maxBytes: byteCount > maxBytes ? maxBytes + 1 : byteCount)
    }

    /// Returns the SHA-256 of all bytes, as 64 lower-case hexadecimal digits.
    package func sha256() throws(FileError) -> String {
        var hash = SHA256()
        var offset = 0
        while true {
            let bytes = try read(at: offset, maxBytes: 1 << 20)
            if bytes.isEmpty { return hash.finish() }
            bytes.withUnsafeBytes { hash.update($0) }
            offset += bytes.count
        }
    }
}
