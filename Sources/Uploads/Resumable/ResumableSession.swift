import API
import Cryptography
package import Files
import Model
package import NIOCore
import Store
import Synchronization
import Tree

/// One request's work on a file that is received in several: the only one at a time (``ResumableFiles/withFile(_:_:)``).
///
/// Used by one task, which hands it on to no other.
package final class ResumableSession: Sendable {
    /// The bytes after which a checkpoint is made while more are coming: the most that a crash costs a sender.
    package static let checkpointByteCount = 2 << 20
    /// The time after which a checkpoint is made of whatever has come, for senders that are slow.
    private static let checkpointInterval = Duration.seconds(10)

    private struct State {
        var record: ResumableFile
        var lastCheckpoint = ContinuousClock.now
    }

    private let files: ResumableFiles
    /// Room for a file whose length nobody has said; the record counts that of others.
    private let room: QuotaHold
    private let state: Mutex<State>
    /// Nil when the file was moved away, as whoever publishes it does before its record ends.
    private let staged: StagedFile?

    init(_ files: ResumableFiles, _ record: ResumableFile) async throws {
        self.files = files
        room = files.quotas.hold(for: UserID(record.owner.string))
        if record.length == nil { try await room.take(record.byteCount) }
        state = Mutex(State(record: record))
        do throws(FileError) {
            staged = try await FileThreads.run { [incoming = files.incoming] () throws(FileError) in
                try StagedFile(
                    resuming: ResumableFile.fileName(record.id), in: incoming, from: record.checkpoint)
            }
        } catch {
            switch error.code {
            case .notFound where record.isComplete: staged = nil
            case .notFound, .bytesLost: throw Failure.bytesMissing(of: record)
            default: throw error
            }
        }
    }

    /// The record as of the last checkpoint.
    package var record: ResumableFile { state.withLock { $0.record } }

    // MARK: Receiving

    /// Appends the pieces that `next` gives, until it gives nil at their end. What has come is durable when it returns, and also
    /// when it throws: a connection that breaks costs nothing that has arrived.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the pieces count together or not at all: when `next` throws, as because of a checksum that is another,
    ///     none of them stays, and the session is of no use any more.
    ///   - isLast: Whether the file has its last byte then.
    /// - Throws: `Failure`: `too_large_bytes` for more bytes than the file may have, `too_many_bytes` for more than were announced,
    ///   `not_found` when the file ended meanwhile; `IntakePause` when the disk fills up; what `next` throws.
    package func receive(
        isWhole: Bool = false, isLast: Bool = false, _ next: () async throws -> ByteBuffer?
    ) async throws {
        guard let staged else { throw Failure.isComplete(record) }
        do {
            while let buffer = try await next() {
                try record.check(size: staged.byteCount + buffer.readableBytes)
                if record.length == nil { try await room.take(buffer.readableBytes) }
                try await FileThreads.run { try buffer.withUnsafeReadableBytes { try staged.write($0) } }
                if !isWhole, isCheckpointDue(staged) { try await checkpoint() }
            }
        } catch {
            // Bytes that cannot be made durable now were promised to nobody.
            if !isWhole { try? await checkpoint() }
            throw error
        }
        try await checkpoint(isLast: isLast)
    }

    private func isCheckpointDue(_ staged: StagedFile) -> Bool {
        staged.byteCount - staged.durableByteCount >= Self.checkpointByteCount
            || state.withLock { $0.lastCheckpoint } + Self.checkpointInterval < .now
    }

    /// Says how many bytes the file will have. Durable when it returns.
    ///
    /// - Throws: As ``ResumableFile/check(length:)``; `Failure` `quota_exceeded`.
    package func announce(length: Int) async throws {
        let record = record
        try record.check(length: length)
        guard record.length == nil else { return }
        try await room.expect(length - record.byteCount)
        try await update { $0.length = length }
    }

    // MARK: Checkpoints

    /// Makes what has come durable: first the bytes, then the record that says so.
    private func checkpoint(isLast: Bool = false) async throws {
        guard let staged else { return }
        // Also when the task was cancelled, because the client is gone or another request is waiting.
        try await Task { [self] in
            try files.disk.gate.check()
            let checkpoint = try await FileThreads.run { () throws(FileError) in try staged.checkpoint() }
            let record = record
            let isEnd = isLast && record.length == nil
            if isLast, let length = record.length, length != checkpoint.byteCount {
                throw Failure(
                    .lengthChanged, "the file ended after \(checkpoint.byteCount) of \(length) bytes",
                    hint: "send the rest, or begin again")
            }
            guard checkpoint.byteCount > record.byteCount || isEnd else { return }
            try await update { file in
                file.checkpoint = checkpoint
                if isEnd { file.length = checkpoint.byteCount }
            }
        }.value
    }

    private func update(_ change: @escaping @Sendable (inout ResumableFile) -> Void) async throws {
        let (id, files) = (record.id, files)
        let record = try await files.tree.transact(at: "file-checkpoint") { snapshot, update in
            guard var file = try ResumableFile(id, in: snapshot) else { throw Failure.noSuchFile(id) }
            change(&file)
            file.updatedAt = files.now
            update[UploadNodes.resumableFile(id)] = file.value
            // Its sender is at it: whoever was to expire the upload sees that.
            if file.purpose == .upload {
                try UploadRecord.noteSender(of: id, at: file.updatedAt, in: snapshot, &update)
            }
            return file
        }
        state.withLock { state in
            state.record = record
            state.lastCheckpoint = .now
        }
    }

    // MARK: The end

    /// The whole file, to be published, under whatever name, before its record ends in an update of the caller's
    /// (``MultiPathUpdate/endResumableFile(_:)``). Blocks no thread.
    ///
    /// Publishing moves the bytes away. A crash between that and the update leaves a record without a file, which says so here:
    /// ``Finished/moved``. The caller looks whether what it was to become is there then.
    ///
    /// - Throws: `Failure` `length_changed` while bytes are missing.
    package func finish() async throws -> Finished {
        let record = record
        guard record.isComplete else {
            throw Failure(
                .lengthChanged, "\(record.byteCount) bytes have come, and that is not all", hint: "send the rest")
        }
        guard let staged else {
            guard var hash = SHA256(state: record.checkpoint.hashState, after: record.byteCount) else {
                throw Failure.bytesMissing(of: record)
            }
            return .moved(byteCount: record.byteCount, sha256: hash.finish())
        }
        return .whole(staged, try await FileThreads.run { () throws(FileError) in try staged.finish() })
    }

    /// What became of a file that is complete.
    package enum Finished: Sendable {
        /// The bytes, for whoever publishes them, and what is known of them.
        case whole(StagedFile, StagedFile.Contents)
        /// Somebody has published them, and did not come to say so.
        case moved(byteCount: Int, sha256: String)
    }
}

extension Failure {
    static func bytesMissing(of file: ResumableFile) -> Failure {
        Failure(
            .bytesLost, "bytes of the upload \(file.id) are missing that were durable",
            hint: "look at the kernel's log for the disk; the file has to be sent again")
    }

    static func isComplete(_ file: ResumableFile) -> Failure {
        Failure(.tooManyBytes, "all \(file.byteCount) bytes have come", hint: "ask what became of them")
    }
}
