import CPlatform
import Cryptography
import Failpoints
import Glibc
import Synchronization

/// A file that is being written under a temporary name: hashed as it grows, and invisible until it is moved into place.
///
/// A durable write has the usual order: create beside the target, write, `fsync`, rename, `fsync` the folder. A staged
/// file that is released before it is published deletes itself. Thread-safe; writes block on the disk.
public final class StagedFile: Sendable {
    /// The contents of a finished file.
    public struct Contents: Sendable, Hashable {
        /// Size in bytes.
        public let byteCount: Int
        /// SHA-256 (FIPS 180-4), 64 lower-case hexadecimal digits.
        public let sha256: String
        /// The first bytes, at most 4,096, which suffice to detect a format.
        public let head: [UInt8]
    }

    struct State: ~Copyable {
        var hash = SHA256()
        var head: [UInt8] = []
        var byteCount = 0
        /// The number of bytes that are durable; see ``checkpoint()``.
        var durableByteCount = 0
        /// Whether the file is kept when this value is released, to be continued later.
        var isKept = false
        var isPublished = false
        /// The contents; nil until the file is finished.
        var contents: Contents?
        /// The error of a write or of the fsync. The bytes are undefined then, and no later call can repair them.
        var failure: FileError?
    }

    static let headByteCount = 4096

    let folder: Directory
    let name: String
    let descriptor: Int32
    let state = Mutex(State())

    init(in folder: Directory, name: String, descriptor: Int32) {
        self.folder = folder
        self.name = name
        self.descriptor = descriptor
    }

    /// Creates a file in `folder` under the temporary name `name`; a leftover of that name is replaced.
    public convenience init(in folder: Directory, name: String) throws(FileError) {
        try folder.remove(name)
        self.init(in: folder, name: name, descriptor: try folder.create(name))
        // Marks the file as in use; see `removeAbandoned`.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    /// Creates a finished file in `folder`, under a generated temporary name, from bytes in memory.
    public convenience init(holding bytes: [UInt8], in folder: Directory) throws(FileError) {
        try self.init(in: folder, name: ".\(UInt64.random(in: .min ... .max)).part")
        try write(bytes)
        _ = try finish()
    }

    /// Whether a name is a temporary name that ``init(holding:in:)`` generates.
    package static func isTemporary(_ name: String) -> Bool { name.wholeMatch(of: /\.[0-9]{1,20}\.part/) != nil }

    deinit {
        _ = close(descriptor)
        if state.withLock({ !$0.isPublished && !$0.isKept }) { try? folder.remove(name) }
    }

    var path: String { "\(folder.path)/\(name)" }

    /// The number of bytes that were written so far.
    public var byteCount: Int {
        state.withLock { $0.byteCount }
    }

    /// Appends bytes. Blocks until the system has accepted them.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try state.withLock { state throws(FileError) in
            if let failure = state.failure { throw failure }
            let failure = writeAll(bytes, to: descriptor, path: path)
            guard failure == 0 else {
                let failure = FileError(errno: failure, doing: "write \(path)")
                state.failure = failure
                throw failure
            }
            state.hash.update(bytes)
            if state.head.count < Self.headByteCount {
                state.head.append(contentsOf: bytes.prefix(Self.headByteCount - state.head.count))
            }
            state.byteCount += bytes.count
        }
    }

    /// Appends bytes. Blocks until the system has accepted them.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        try bytes.withUnsafeBufferPointer { buffer throws(FileError) in try self.write(UnsafeRawBufferPointer(buffer)) }
    }

    /// Makes the bytes durable and returns their description. Call once, after the last write.
    ///
    /// After a failure, the file is useless and every call fails: the system may have dropped bytes that it could not
    /// write, and a second fsync would not report that. The file must be written again from its source.
    public func finish() throws(FileError) -> Contents {
        try state.withLock { state throws(FileError) in
            if let failure = state.failure { throw failure }
            guard Failpoint.fsync.around(path, { fsync(descriptor) }) == 0 else {
                let failure = folder.failure("fsync", name)
                state.failure = failure
                throw failure
            }
            let contents = Contents(byteCount: state.byteCount, sha256: state.hash.finish(), head: state.head)
            state.contents = contents
            return contents
        }
    }

    /// Returns the contents of the finished file: its size and its SHA-256 are known without reading it.
    ///
    /// - Throws: `FileError`: `io` for a file that is not finished, or the fault of an earlier call.
    public func contents() throws(FileError) -> Contents {
        try state.withLock { state throws(FileError) in
            if let failure = state.failure { throw failure }
            guard let contents = state.contents else { throw FileError(.io, "\(path) is not finished") }
            return contents
        }
    }

    /// Opens the bytes that were written so far for reading, for another digest than the file's own, for example.
    ///
    /// - Throws: `FileError` for an error of the system; `not_found` if the file has been published.
    public func reader() throws(FileError) -> FileReader { try folder.file(name) }

    /// Deletes the file, of which a durable copy exists by now.
    public func discard() throws(FileError) {
        try folder.remove(name)
        state.withLock { $0.isPublished = true }
    }

    /// Sets the permission bits of the file.
    package func setMode(_ mode: UInt32) throws(FileError) {
        guard fchmod(descriptor, mode) == 0 else { throw folder.failure("chmod", name) }
    }

    /// Moves the finished file to its final name in `target`, replacing a file there; the caller syncs `target`.
    ///
    /// - Throws: `FileError` if `target` is on another file system, or for an error of the system.
    public func publish(as finalName: String, in target: Directory) throws(FileError) {
        _ = try contents()
        let result = Failpoint.rename.around("\(target.path)/\(finalName)") {
            renameat(folder.descriptor, name, target.descriptor, finalName)
        }
        guard result == 0 else {
            // Either the file itself or the target folder is missing.
            throw errno == ENOENT
                ? .vanished(folder.path) : folder.failure("publish \(target.path)/\(finalName) from", name)
        }
        state.withLock { $0.isPublished = true }
    }

    /// Deletes the files `*.part` in a folder that are not being written any longer, because their writer ended or
    /// could not delete them.
    ///
    /// A file that is being written is locked shortly after its creation; therefore recent files are skipped.
    ///
    /// - Returns: The number of files deleted.
    @discardableResult
    public static func removeAbandoned(
        in folder: Directory, olderThan age: Duration = .seconds(2)
    ) throws(FileError) -> Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let latest = now.nanoseconds - age.components.seconds * 1_000_000_000
        var count = 0
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        for name in try folder.names() where name.hasSuffix(".part") {
            guard let entry = try folder.entry(name), entry.kind == .file, entry.changedNanoseconds <= latest else {
                continue
            }
            let file = cplatform_openat(folder.descriptor, name, flags, 0)
            guard file >= 0 else { continue }
            defer { _ = close(file) }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else { continue }
            try folder.remove(name)
            count += 1
        }
        return count
    }

    /// Moves the finished file to a name in `target` that is not taken; the caller syncs `target`.
    ///
    /// - Throws: `FileError`, `exists` if the name is taken.
    public func publish(asNew finalName: String, in target: Directory) throws(FileError) {
        _ = try contents()
        let result = Failpoint.rename.around("\(target.path)/\(finalName)") {
            cplatform_rename_noreplace(folder.descriptor, name, target.descriptor, finalName)
        }
        guard result == 0 else {
            throw FileError(errno: -result, doing: "publish \(target.path)/\(finalName)")
        }
        state.withLock { $0.isPublished = true }
    }
}

extension Directory {
    /// Writes a whole file under its final name, replacing a file there. Durable on return.
    ///
    /// - Parameters:
    ///   - staging: The folder for the file until it is whole, on the same file system; nil for this folder.
    ///   - mode: The permission bits of the file; nil for those of every staged file.
    public func write(
        _ bytes: [UInt8], as name: String, staging: Directory? = nil, mode: UInt32? = nil
    ) throws(FileError) {
        let staged = try StagedFile(holding: bytes, in: staging ?? self)
        if let mode { try staged.setMode(mode) }
        try staged.publish(as: name, in: self)
        try sync()
    }

    /// Writes a whole file as `write` does, but under a name that is not taken.
    ///
    /// - Throws: `FileError`, `exists` if the name is taken.
    public func writeNew(
        _ bytes: [UInt8], as name: String, staging: Directory, mode: UInt32? = nil
    ) throws(FileError) {
        let staged = try StagedFile(holding: bytes, in: staging)
        if let mode { try staged.setMode(mode) }
        try staged.publish(asNew: name, in: self)
        try sync()
    }
}
