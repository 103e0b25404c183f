import CPlatform
import Cryptography
import Failpoints
import Glibc
import Synchronization

/// A file that is being written under a temporary name: hashed as it grows, invisible until it is moved into place.
///
/// The canonical order of a durable write: create beside the target, write, `fsync`, rename, `fsync` the folder.
/// A staged file that is dropped before it is published deletes itself. Thread-safe; writes block on the disk.
public final class StagedFile: Sendable {
    /// The contents of a finished file.
    public struct Contents: Sendable, Hashable {
        /// Size in bytes.
        public let byteCount: Int
        /// SHA-256 (FIPS 180-4), 64 lower-case hexadecimal digits.
        public let sha256: String
        /// The first bytes, at most 4,096: enough to tell a format.
        public let head: [UInt8]
    }

    struct State: ~Copyable {
        var hash = SHA256()
        var head: [UInt8] = []
        var byteCount = 0
        /// How many bytes were made durable; see ``checkpoint()``.
        var durableByteCount = 0
        /// Whether the file stays when nobody holds it: it is gone on with later.
        var isKept = false
        var isPublished = false
        /// The contents once the file is finished.
        var contents: Contents?
        /// The error of a write or of the fsync: the bytes may be anything, and no later call can make them good.
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

    /// Starts a file in `folder` under the temporary name `name`; a leftover of that name is replaced.
    public convenience init(in folder: Directory, name: String) throws(FileError) {
        try folder.remove(name)
        self.init(in: folder, name: name, descriptor: try folder.create(name))
        // It lives: see `removeAbandoned`.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    /// Finishes a file in `folder` under a temporary name of its own, of bytes that are in memory.
    public convenience init(holding bytes: [UInt8], in folder: Directory) throws(FileError) {
        try self.init(in: folder, name: ".\(UInt64.random(in: .min ... .max)).part")
        try write(bytes)
        _ = try finish()
    }

    /// Whether a name is one of those that files have of ``init(holding:in:)`` until they are published.
    package static func isTemporary(_ name: String) -> Bool { name.wholeMatch(of: /\.[0-9]{1,20}\.part/) != nil }

    deinit {
        _ = close(descriptor)
        if state.withLock({ !$0.isPublished && !$0.isKept }) { try? folder.remove(name) }
    }

    var path: String { "\(folder.path)/\(name)" }

    /// How many bytes were written so far.
    public var byteCount: Int {
        state.withLock { $0.byteCount }
    }

    /// Appends bytes. Blocks while the disk takes them.
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

    /// Appends bytes. Blocks while the disk takes them.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        try bytes.withUnsafeBufferPointer { buffer throws(FileError) in try self.write(UnsafeRawBufferPointer(buffer)) }
    }

    /// Makes the bytes durable and tells what they are. Call once, after the last write.
    ///
    /// After a failure the file is good for nothing, and says so whatever is asked of it: the system may have dropped what
    /// it could not write, and a second fsync would not tell. It is written anew, from what it was written from.
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

    /// The contents of the finished file: whoever sends it elsewhere knows its size and its SHA-256 without reading it.
    ///
    /// - Throws: `FileError`: `io` for a file that is not finished, or the fault that it has met.
    public func contents() throws(FileError) -> Contents {
        try state.withLock { state throws(FileError) in
            if let failure = state.failure { throw failure }
            guard let contents = state.contents else { throw FileError(.io, "\(path) is not finished") }
            return contents
        }
    }

    /// Opens what was written so far for reading, as for another digest than the file's own.
    ///
    /// - Throws: `FileError` for what the system says; `not_found` once the file was published.
    public func reader() throws(FileError) -> FileReader { try folder.file(name) }

    /// Deletes the file of which somebody has a durable copy by now.
    public func discard() throws(FileError) {
        try folder.remove(name)
        state.withLock { $0.isPublished = true }
    }

    /// Says who may do what with the file.
    package func setMode(_ mode: UInt32) throws(FileError) {
        guard fchmod(descriptor, mode) == 0 else { throw folder.failure("chmod", name) }
    }

    /// Gives the finished file its final name in `target`, replacing an earlier try; the caller syncs `target`.
    ///
    /// - Throws: `FileError` when `target` is on another file system, or for what the system says.
    public func publish(as finalName: String, in target: Directory) throws(FileError) {
        _ = try contents()
        let result = Failpoint.rename.around("\(target.path)/\(finalName)") {
            renameat(folder.descriptor, name, target.descriptor, finalName)
        }
        guard result == 0 else {
            // The file itself, or the folder that it was to come to.
            throw errno == ENOENT
                ? .vanished(folder.path) : folder.failure("publish \(target.path)/\(finalName) from", name)
        }
        state.withLock { $0.isPublished = true }
    }

    /// Deletes the files `*.part` in a folder that nobody writes any more: whoever began them could not delete them.
    ///
    /// A file that is being written is locked, from a moment after it was made; hence the age.
    ///
    /// - Returns: How many there were.
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

    /// Gives the finished file a name that nothing has yet; the caller syncs `target`.
    ///
    /// - Throws: `FileError`, `exists` when the name is taken.
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
    /// Writes a whole file under its final name, replacing what was there. Durable when it returns.
    ///
    /// - Parameters:
    ///   - staging: Where the file lies until it is whole, on the same file system; without it, here.
    ///   - mode: Who may do what with it; without it, the owner and the group's readers.
    public func write(
        _ bytes: [UInt8], as name: String, staging: Directory? = nil, mode: UInt32? = nil
    ) throws(FileError) {
        let staged = try StagedFile(holding: bytes, in: staging ?? self)
        if let mode { try staged.setMode(mode) }
        try staged.publish(as: name, in: self)
        try sync()
    }

    /// Writes a whole file as `write` does, but under a name that nothing has yet.
    ///
    /// - Throws: `FileError`, `exists` when the name is taken.
    public func writeNew(
        _ bytes: [UInt8], as name: String, staging: Directory, mode: UInt32? = nil
    ) throws(FileError) {
        let staged = try StagedFile(holding: bytes, in: staging)
        if let mode { try staged.setMode(mode) }
        try staged.publish(asNew: name, in: self)
        try sync()
    }
}
