import API
import Cryptography
package import Files
import Model
package import NIOCore
import Store
import Synchronization
import Tree

/// The work of one request on a file that is received in several; only one request works on it at a time
/// (``ResumableFiles/withFile(_:_:)``).
///
/// Used by one task, which passes it to no other.
package final class ResumableSession: Sendable {
    /// The number of bytes between checkpoints while more arrive: the most that a crash costs a sender.
    package static let checkpointByteCount = 2 << 20
    /// The time between checkpoints for slow senders.
    private static let checkpointInterval = Duration.seconds(10)

    private struct State {
        var record: ResumableFile
        var lastCheckpoint = ContinuousClock.now
    }

    private let files: ResumableFiles
    /// The quota hold for a file without an announced length; the record counts other files.
    private let room: QuotaHold
    private let state: Mutex<State>
    /// The file; nil if it was moved away, which happens in publication before its record ends.
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

    /// The record at the last checkpoint.
    package var record: ResumableFile { state.withLock { $0.record } }

    // MARK: Receiving

    /// Appends the pieces that `next` returns, until it returns nil at the end. The received bytes are durable on
    /// return, and also when the function throws: a broken connection loses no bytes that have arrived.
    ///
    /// - Parameters:
    ///   - isWhole: Whether either all pieces are stored or none: if `next` throws, for example because a checksum
    ///     differs, none of them stays, and the session can no longer be used.
    ///   - isLast: Whether the file is complete at the end.
    /// - Throws: `Failure`: `too_large_bytes` for more bytes than the file may have, `too_many_bytes` for more than
    ///   were announced, `not_found` if the file ended meanwhile; `IntakePause` if the disk becomes full; errors of
    ///   `next`.
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
            // Bytes that cannot be made durable now have not been acknowledged.
            if !isWhole { try? await checkpoint() }
            throw error
        }
        try await checkpoint(isLast: isLast)
    }

    private func isCheckpointDue(_ staged: StagedFile) -> Bool {
        staged.byteCount - staged.durableByteCount >= Self.checkpointByteCount
            || state.withLock { $0.lastCheckpoint } + Self.checkpointInterval < .now
    }

    /// Sets the final size of the file, in bytes. Durable on return.
    ///
    /// - Throws: The errors of ``ResumableFile/check(length:)``; `Failure` `quota_exceeded`.
    package func announce(length: Int) async throws {
        let record = record
        try record.check(length: length)
        guard record.length == nil else { return }
        try await room.expect(length - record.byteCount)
        try await update { $0.length = length }
    }

    /// Forgets all received bytes. Durable on return; afterwards the session can no longer be used.
    package func restart() async throws {
        if record.byteCount > 0 { try await update { $0.checkpoint = .start } }
    }

    // MARK: Checkpoints

    /// Makes the received bytes durable: first the bytes, then the record of their number.
    private func checkpoint(isLast: Bool = false) async throws {
        guard let staged else { return }
        // This also runs when the task was cancelled, because the client has disconnected or another request is
        // waiting.
        try await Task { [self] in
            try files.disk.gate.check()
            let checkpoint = try await FileThreads.run { () throws(FileError) in try staged.checkpoint() }
            let record = record
            let isEnd = isLast && record.length == nil
            if isLast, let length = record.length, length != checkpoint.byteCount {
                throw Failure(
                    .lengthChanged, "the file ended after \(checkpoint.byteCount) of \(length) bytes",
                    hint: "Send the rest, or begin again.")
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
            // The sender is active, so that the upload must not expire.
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

    // MARK: Ending

    /// Returns the complete file for publication under any name, before its record ends in an update of the caller's
    /// (``MultiPathUpdate/endResumableFile(_:)``). Blocks no thread.
    ///
    /// Publication moves the bytes away. A crash between that and the update leaves a record without a file; the result
    /// is then ``Finished/moved``, and the caller checks whether the published file exists.
    ///
    /// - Throws: `Failure` `length_changed` while bytes are missing.
    package func finish() async throws -> Finished {
        let record = record
        guard record.isComplete else {
            throw Failure(
                .lengthChanged, "the file is incomplete: it has \(record.byteCount) bytes", hint: "Send the rest.")
        }
        guard let staged else {
            guard var hash = SHA256(state: record.checkpoint.hashState, after: record.byteCount) else {
                throw Failure.bytesMissing(of: record)
            }
            return .moved(byteCount: record.byteCount, sha256: hash.finish())
        }
        return .whole(staged, try await FileThreads.run { () throws(FileError) in try staged.finish() })
    }

    /// The state of a complete file.
    package enum Finished: Sendable {
        /// The bytes, to be published, and their size and checksums.
        case whole(StagedFile, StagedFile.Contents)
        /// The bytes were published before a crash, without an end of the record.
        case moved(byteCount: Int, sha256: String)
    }
}

extension Failure {
    static func bytesMissing(of file: ResumableFile) -> Failure {
        Failure(
            .bytesLost, "durable bytes of the upload \(file.id) are missing",
            hint: "Check the kernel's log for errors of the disk, and send the file again.")
    }

    static func isComplete(_ file: ResumableFile) -> Failure {
        Failure(.tooManyBytes, "all \(file.byteCount) bytes have arrived", hint: "Get the state of the upload.")
    }
}
