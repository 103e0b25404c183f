import API
import Concurrency
package import Files
package import Model
package import Store
package import Tree

/// The files whose bytes arrive in several requests, for any purpose: uploads at `/v1/uploads`, or files that other
/// parts of the server receive.
///
/// Each has a record in the tree and a file in `incoming/`, which survive the process. The offset that a sender
/// receives is durable: first the bytes become durable, by `fdatasync`, then the record, by a commit. A crash costs at
/// most the bytes since the last checkpoint (``ResumableSession/checkpointByteCount``), which were not acknowledged.
/// One request at a time works on a file; a new one ends the previous one. Files that are unused for longer than the
/// lifetime of drafts are deleted.
///
/// Methods may be called from any task.
package final class ResumableFiles: Sendable {
    /// The largest number of unfinished files of one owner.
    package static let maxFilesPerOwner = 64
    /// The largest number of bytes that may be reserved for the unfinished files of one owner, in files of the largest
    /// size.
    private static let maxLargestFilesPerOwner = 8

    package let tree: TreeStore
    package let incoming: Directory
    let disk: DiskMonitor
    let quotas: UserQuotas
    private let ids: PushIDGenerator
    private let settings: SharedSettings
    private let clock: @Sendable () -> Timestamp
    private let locks = LatestLock<PostID>(grace: .milliseconds(100))

    package init(_ storage: StorageFolder, disk: DiskMonitor, settings: SharedSettings, quotas: UserQuotas) {
        self.quotas = quotas
        tree = storage.tree
        incoming = storage.incoming
        ids = storage.ids
        clock = storage.clock
        self.disk = disk
        self.settings = settings
    }

    /// The current time.
    package var now: Timestamp { clock() }

    // MARK: Beginning

    /// Begins a file with an id of its own. Durable on return.
    ///
    /// - Parameter room: The quota hold for the bytes; nil to create one for the owner.
    /// - Throws: The errors of ``check(_:)``, and `Failure` `quota_exceeded`.
    package func create(_ request: ResumableFileRequest, holding room: QuotaHold? = nil) async throws -> ResumableFile {
        try await check(request)
        let room = if let room { room } else { try await self.room(for: request) }
        defer { withExtendedLifetime(room) {} }
        let file = ResumableFile(request, id: ids.next(), at: now)
        var update = MultiPathUpdate()
        update.beginResumableFile(file)
        _ = try await tree.commit(update, at: "new-file")
        return file
    }

    /// Checks whether a file may be begun, before the first byte, so that senders do not send bytes that are refused in
    /// the end. With concurrent requests of one owner, the limits may be exceeded by a few files.
    ///
    /// - Throws: `Failure`: `too_large_bytes` for a file beyond its limit, `too_many_uploads` if its owner has too many
    ///   unfinished files, `disk_full` if the disk has no room for it, `bad_request` for details that are too long;
    ///   `IntakePause`.
    package func check(_ request: ResumableFileRequest) async throws {
        try Self.checkSize(request)
        try checkSpace(for: request)
        let others = try await tree.children(
            of: UploadNodes.resumableFileOf(request.owner), limit: Self.maxFilesPerOwner)
        let reserved = others.reduce(request.length ?? request.maxBytes) { $0 + Int($1.value.integerValue ?? 0) }
        guard others.count < Self.maxFilesPerOwner, reserved <= request.maxBytes * Self.maxLargestFilesPerOwner else {
            throw Failure(
                .tooManyUploads, "there are \(others.count) unfinished uploads",
                hint: "Finish one, or end it with DELETE. Unused uploads end automatically.")
        }
    }

    /// Holds room for a file until its record counts it, with the announced length.
    ///
    /// - Throws: `Failure` `quota_exceeded`.
    func room(for request: ResumableFileRequest) async throws -> QuotaHold {
        let room = quotas.hold(for: UserID(request.owner.string))
        // If the length is unknown, at least one byte must be available.
        try await room.expect(request.length ?? 1)
        return room
    }

    private static func checkSize(_ request: ResumableFileRequest) throws(Failure) {
        guard request.length ?? 0 >= 0 else { throw Failure(.badRequest, "the file's length is negative") }
        guard request.length ?? 0 <= request.maxBytes else { throw .tooManyBytes(limit: request.maxBytes) }
        guard request.details.utf8.count <= ResumableFileRequest.maxDetailBytes else {
            throw Failure(
                .badRequest, "the details of the file have more than \(ResumableFileRequest.maxDetailBytes) bytes",
                hint: "Send shorter details.")
        }
    }

    /// Checks that the disk has room for a file.
    ///
    /// - Throws: `IntakePause`, or `Failure` `disk_full`.
    private func checkSpace(for request: ResumableFileRequest) throws {
        try disk.gate.check()
        guard let length = request.length, let space = disk.freeSpace, space.bytes - length < space.reserve else {
            return
        }
        throw Failure(
            .diskFull, "there is no room for \(length) bytes", hint: "Send it later, or a smaller file.",
            isTransient: true)
    }

    // MARK: Continuing

    /// Returns the record of a file; nil if it does not exist or has ended.
    package func record(of id: PostID) async throws(TreeError) -> ResumableFile? {
        ResumableFile(try await tree.get(UploadNodes.resumableFile(id)), at: id.key)
    }

    /// Runs `body` with exclusive access to a file. A previous holder is cancelled, and its received bytes become
    /// durable first. This call is cancelled in the same way if another one follows.
    ///
    /// - Parameter isBrief: Whether the body receives no bytes, and therefore is not cancelled.
    /// - Throws: `Failure`: `not_found` if the file does not exist or has ended; `taken_over` if another request has
    ///   taken over; `bytes_lost` if durable bytes are missing. Errors of the body.
    package func withFile<Value: Sendable>(
        _ id: PostID, isBrief: Bool = false, _ body: @escaping @Sendable (ResumableSession) async throws -> Value
    ) async throws -> Value {
        do {
            return try await locks.withKey(id, isBrief: isBrief) { [self] in
                guard let record = try await record(of: id) else { throw Failure.noSuchFile(id) }
                return try await body(try await ResumableSession(self, record))
            }
        } catch is Preempted {
            throw Failure(
                .takenOver, "another request continues this upload",
                hint: "Get its offset and continue from there, with one request at a time.")
        }
    }

    /// Whether a request currently works on a file.
    package func isInUse(_ id: PostID) -> Bool { locks.isHeld(id) }

    // MARK: Ending

    /// Ends a file that will not be finished, and deletes its bytes. Durable on return.
    package func remove(_ id: PostID) async throws {
        try await tree.transact(at: "file-removed") { snapshot, update in
            if let file = try ResumableFile(id, in: snapshot) { update.endResumableFile(file) }
        }
        try await removeBytes(of: id)
    }

    /// Deletes the bytes of a file whose record has ended. Bytes that were moved or deleted already are not an error.
    package func removeBytes(of id: PostID) async throws {
        let name = ResumableFile.fileName(id)
        try await FileThreads.run { [incoming] () throws(FileError) in try incoming.remove(name) }
    }
}

extension Failure {
    static func noSuchFile(_ id: PostID) -> Failure {
        Failure(.notFound, "the unfinished upload \(id) does not exist", hint: "Begin again: it may have expired.")
    }

    static func tooManyBytes(limit: Int) -> Failure {
        Failure(
            .tooLarge, "the file has more than \(limit) bytes (\(limit >> 20) MiB)", hint: "Send a smaller file.")
    }
}
