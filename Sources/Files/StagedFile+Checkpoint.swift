import CPlatform
import Cryptography
import Failpoints
import Glibc
import Synchronization

/// A staged file that outlives its writer: its bytes arrive at several times, perhaps in several processes, and those
/// before a checkpoint are durable.
///
/// The bytes after the last checkpoint are not guaranteed. After a crash the system may have kept any of them, or zeros
/// in their place, so they are cut off when the file is opened again. `removeAbandoned` does not delete the file unless
/// its name ends in `.part`; the owner of the checkpoints must delete files that are not needed any longer.
extension StagedFile {
    /// The durable part of a file, with the state of its hash, which suffices to continue both.
    package struct Checkpoint: Sendable, Hashable {
        /// Size in bytes.
        package let byteCount: Int
        /// The running SHA-256 of these bytes (``SHA256/state``).
        package let hashState: String

        package init(byteCount: Int, hashState: String) {
            self.byteCount = byteCount
            self.hashState = hashState
        }

        /// The checkpoint of a file without bytes.
        package static let start = Checkpoint(byteCount: 0, hashState: SHA256.startState)
    }

    /// Opens a file at a checkpoint, and cuts off the bytes after it; a file without bytes is created if it is missing.
    /// The file is kept if this value is released before it is published. One process at a time may have it open.
    /// Blocks.
    ///
    /// - Throws: `FileError`: `not_found` if the file is missing, `bytes_lost` if it has fewer bytes than its
    ///   checkpoint, or the checkpoint is malformed; or an error of the system.
    package convenience init(
        resuming name: String, in folder: Directory, from checkpoint: Checkpoint
    ) throws(FileError) {
        guard let hash = SHA256(state: checkpoint.hashState, after: checkpoint.byteCount) else {
            throw FileError(
                .bytesLost, "\(folder.path)/\(name) has an invalid checkpoint", hint: "Send the file again.")
        }
        self.init(in: folder, name: name, descriptor: try folder.openForAppending(name, isNew: checkpoint == .start))
        state.withLock { $0.isKept = true }
        try cut(to: checkpoint.byteCount)
        let head = try FileReader.head(of: descriptor, upTo: min(checkpoint.byteCount, Self.headByteCount))
        take(hash, head, checkpoint.byteCount)
    }

    private func take(_ hash: consuming SHA256, _ head: [UInt8], _ byteCount: Int) {
        // Taken out of an optional, because a closure may not consume a captured value.
        var taken: SHA256? = consume hash
        state.withLock { state in
            if let hash = taken.take() { state.hash = hash }
            state.head = head
            state.byteCount = byteCount
            state.durableByteCount = byteCount
        }
    }

    /// Removes the bytes after the checkpoint, and sets the offset to its end.
    private func cut(to byteCount: Int) throws(FileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(errno: errno, doing: "read status of \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(.wrongKind, "\(path) is not a regular file", hint: "Remove it.")
        }
        guard status.st_size >= byteCount else {
            throw FileError(
                .bytesLost, "\(path) has \(status.st_size) bytes, but \(byteCount) were durable",
                hint: "Look at the kernel's log for this disk, and send the file again.")
        }
        if status.st_size > byteCount {
            guard Failpoint.write.around(path, { ftruncate(descriptor, byteCount) }) == 0 else {
                throw FileError(errno: errno, doing: "cut \(path)")
            }
        }
        guard lseek(descriptor, byteCount, SEEK_SET) >= 0 else {
            throw FileError(errno: errno, doing: "seek to the end of \(path)")
        }
    }

    /// Makes the bytes that were written so far durable: they may be acknowledged only after `fdatasync` has returned.
    /// Blocks on the disk.
    ///
    /// After a failure, every call on this value fails; the file can be opened again at the checkpoint before, which
    /// cuts off the bytes that may be lost.
    package func checkpoint() throws(FileError) -> Checkpoint {
        try state.withLock { state throws(FileError) in
            if let failure = state.failure { throw failure }
            if state.byteCount > state.durableByteCount {
                guard Failpoint.fsync.around(path, { fdatasync(descriptor) }) == 0 else {
                    let failure = FileError(errno: errno, doing: "fdatasync \(path)")
                    state.failure = failure
                    throw failure
                }
                state.durableByteCount = state.byteCount
            }
            guard let hashState = state.hash.state else {
                throw FileError(.io, "\(path) was not opened at a checkpoint")
            }
            return Checkpoint(byteCount: state.byteCount, hashState: hashState)
        }
    }

    /// The number of bytes that are durable.
    package var durableByteCount: Int { state.withLock { $0.durableByteCount } }
}

extension FileReader {
    /// Returns the first bytes of an open file.
    fileprivate static func head(of descriptor: Int32, upTo maxBytes: Int) throws(FileError) -> [UInt8] {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw FileError(errno: errno, doing: "read a file") }
        return try FileReader(descriptor: copy).read(at: 0, maxBytes: maxBytes)
    }
}

extension Directory {
    /// Opens a file for writing at its end, and for reading; a new one is created, durably, if it does not exist.
    fileprivate func openForAppending(_ name: String, isNew: Bool) throws(FileError) -> Int32 {
        try checkFileName(name)
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let existing = cplatform_openat(descriptor, name, flags, 0)
        if existing >= 0 { return existing }
        guard existing == -ENOENT, isNew else { throw FileError(errno: -existing, doing: "open \(path)/\(name)") }
        let file = Failpoint.create.around("\(path)/\(name)") {
            cplatform_openat(descriptor, name, flags | O_CREAT | O_EXCL, 0o640)
        }
        if file == -ENOENT { throw .vanished(path) }
        guard file >= 0 else { throw FileError(errno: -file, doing: "create \(path)/\(name)") }
        do throws(FileError) {
            try sync()
        } catch {
            // So that the next attempt creates it again: a second fsync would not report the failure of the first.
            _ = Glibc.close(file)
            try? remove(name)
            throw error
        }
        return file
    }
}
