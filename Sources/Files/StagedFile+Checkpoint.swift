import CPlatform
import Cryptography
import Failpoints
import Glibc
import Synchronization

/// A staged file that outlives whoever writes it: its bytes come at several times, perhaps to several processes, and what a
/// checkpoint has told is durable.
///
/// Bytes behind the last checkpoint are promised to nobody. After a crash the system may have kept any of them, or zeros in
/// their place, so they are cut off when the file is opened again. Its folder's `removeAbandoned` leaves it alone as long as its
/// name does not end in `.part`; whoever keeps the checkpoints knows which of these files nobody needs any more.
extension StagedFile {
    /// How far a file has durably come: enough to go on with it, and with its hash.
    package struct Checkpoint: Sendable, Hashable {
        /// Size in bytes.
        package let byteCount: Int
        /// The running SHA-256 of these bytes (``SHA256/state``).
        package let hashState: String

        package init(byteCount: Int, hashState: String) {
            self.byteCount = byteCount
            self.hashState = hashState
        }

        /// That of a file without bytes.
        package static let start = Checkpoint(byteCount: 0, hashState: SHA256.startState)
    }

    /// Opens a file of which a checkpoint is known, and cuts off what lies behind that; one without bytes is made when it is
    /// missing. It stays when it is dropped before it is published. One process at a time may have it open. Blocks.
    ///
    /// - Throws: `FileError`: `not_found` when the file is missing, `bytes_lost` when it has fewer bytes than its checkpoint, or
    ///   the checkpoint is none; or what the system says.
    package convenience init(
        resuming name: String, in folder: Directory, from checkpoint: Checkpoint
    ) throws(FileError) {
        guard let hash = SHA256(state: checkpoint.hashState, after: checkpoint.byteCount) else {
            throw FileError(.bytesLost, "the checkpoint of \(folder.path)/\(name) is none", hint: "send the file again")
        }
        self.init(in: folder, name: name, descriptor: try folder.openForAppending(name, isNew: checkpoint == .start))
        state.withLock { $0.isKept = true }
        try cut(to: checkpoint.byteCount)
        let head = try FileReader.head(of: descriptor, upTo: min(checkpoint.byteCount, Self.headByteCount))
        take(hash, head, checkpoint.byteCount)
    }

    private func take(_ hash: consuming SHA256, _ head: [UInt8], _ byteCount: Int) {
        // Taken out of an optional, as a closure may not consume what it captures.
        var taken: SHA256? = consume hash
        state.withLock { state in
            if let hash = taken.take() { state.hash = hash }
            state.head = head
            state.byteCount = byteCount
            state.durableByteCount = byteCount
        }
    }

    /// Removes what lies behind the checkpoint, and stands there.
    private func cut(to byteCount: Int) throws(FileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(errno: errno, doing: "look at \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(.wrongKind, "\(path) is not a regular file", hint: "remove it")
        }
        guard status.st_size >= byteCount else {
            throw FileError(
                .bytesLost, "\(path) has \(status.st_size) bytes, and \(byteCount) were durable",
                hint: "look at the kernel's log for this disk; the file has to be sent again")
        }
        if status.st_size > byteCount {
            guard Failpoint.write.around(path, { ftruncate(descriptor, byteCount) }) == 0 else {
                throw FileError(errno: errno, doing: "cut \(path)")
            }
        }
        guard lseek(descriptor, byteCount, SEEK_SET) >= 0 else {
            throw FileError(errno: errno, doing: "go to the end of \(path)")
        }
    }

    /// Makes the bytes that were written so far durable: `fdatasync` has returned before anybody may be told of them. Blocks on
    /// the disk.
    ///
    /// After a failure the file says so whatever is asked of it; it can be opened again from the checkpoint before, which cuts
    /// off the bytes that may be lost.
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
                throw FileError(.io, "\(path) was not opened to be gone on with")
            }
            return Checkpoint(byteCount: state.byteCount, hashState: hashState)
        }
    }

    /// How many bytes were made durable.
    package var durableByteCount: Int { state.withLock { $0.durableByteCount } }
}

extension FileReader {
    /// The first bytes of an open file.
    fileprivate static func head(of descriptor: Int32, upTo maxBytes: Int) throws(FileError) -> [UInt8] {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw FileError(errno: errno, doing: "read a file") }
        return try FileReader(descriptor: copy).read(at: 0, maxBytes: maxBytes)
    }
}

extension Directory {
    /// Opens a file for writing at its end, and for reading; a new one is made, durably, unless it is there.
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
            // So that the next try makes it anew: a second fsync would say nothing about the first.
            _ = Glibc.close(file)
            try? remove(name)
            throw error
        }
        return file
    }
}
