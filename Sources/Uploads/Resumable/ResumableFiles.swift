import API
import Concurrency
package import Files
package import Model
package import Store
package import Tree

/// Files whose bytes come in several requests, whatever they are for: uploads at `/v1/uploads`, or what other parts of the
/// server receive.
///
/// Each has a record in the tree and a file in `incoming/` that survive the process. What a sender is told as its offset was made
/// durable before: the bytes by `fdatasync`, then the record by a commit. A crash costs at most the bytes since the last
/// checkpoint (``ResumableSession/checkpointByteCount``), which nobody was told of. One request at a time works on a file; a new
/// one ends the one before. What is left alone for longer than a draft may be goes.
///
/// Methods may be called from any task.
package final class ResumableFiles: Sendable {
    /// How many unfinished files one owner may have.
    package static let maxFilesPerOwner = 64
    /// How many bytes may be kept free for the unfinished files of one owner, in files of the largest size.
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

    /// The present time.
    package var now: Timestamp { clock() }

    // MARK: Beginning

    /// Begins a file that has an id of its own. Durable when it returns.
    ///
    /// - Parameter room: What holds room for the bytes; nil for room of the owner.
    /// - Throws: As ``check(_:)``, and `Failure` `quota_exceeded`.
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

    /// Refuses what may not be begun: before the first byte, so that nobody sends what is not taken in the end. Of requests of one
    /// owner at the same moment, a few more than may be can pass.
    ///
    /// - Throws: `Failure`: `too_large_bytes` for a file beyond its limit, `too_many_uploads` when its owner has too many that are
    ///   not finished, `disk_full` when there is no room for it, `bad_request` for details that are too long; `IntakePause`.
    package func check(_ request: ResumableFileRequest) async throws {
        try Self.checkSize(request)
        try checkSpace(for: request)
        let others = try await tree.children(
            of: UploadNodes.resumableFileOf(request.owner), limit: Self.maxFilesPerOwner)
        let reserved = others.reduce(request.length ?? request.maxBytes) { $0 + Int($1.value.integerValue ?? 0) }
        guard others.count < Self.maxFilesPerOwner, reserved <= request.maxBytes * Self.maxLargestFilesPerOwner else {
            throw Failure(
                .tooManyUploads, "there are \(others.count) uploads that are not finished",
                hint: "finish one, or end it with DELETE; what is left alone ends by itself")
        }
    }

    /// Holds room for a file until its record counts it, which it does with the announced length.
    ///
    /// - Throws: `Failure` `quota_exceeded`.
    func room(for request: ResumableFileRequest) async throws -> QuotaHold {
        let room = quotas.hold(for: UserID(request.owner.string))
        // Where nobody says how much comes, there has to be any room at all.
        try await room.expect(request.length ?? 1)
        return room
    }

    private static func checkSize(_ request: ResumableFileRequest) throws(Failure) {
        guard request.length ?? 0 >= 0 else { throw Failure(.badRequest, "a file's length is less than nothing") }
        guard request.length ?? 0 <= request.maxBytes else { throw .tooManyBytes(limit: request.maxBytes) }
        guard request.details.utf8.count <= ResumableFileRequest.maxDetailBytes else {
            throw Failure(
                .badRequest, "what is said of the file has more than \(ResumableFileRequest.maxDetailBytes) bytes",
                hint: "say less")
        }
    }

    /// Refuses a file for which there is no room on the disk.
    ///
    /// - Throws: `IntakePause`, or `Failure` `disk_full`.
    private func checkSpace(for request: ResumableFileRequest) throws {
        try disk.gate.check()
        guard let length = request.length, let space = disk.freeSpace, space.bytes - length < space.reserve else {
            return
        }
        throw Failure(
            .diskFull, "there is no room for \(length) bytes", hint: "send it later, or a smaller file",
            isTransient: true)
    }

    // MARK: Going on

    /// The record of a file; nil when there is none, or it has ended.
    package func record(of id: PostID) async throws(TreeError) -> ResumableFile? {
        ResumableFile(try await tree.get(UploadNodes.resumableFile(id)), at: id.key)
    }

    /// Works on a file, as the only one: who worked on it before is cancelled, and what it has received becomes durable first.
    /// When somebody else comes meanwhile, so is this.
    ///
    /// - Parameter isBrief: Whether the body receives nothing, and comes to its end whoever comes.
    /// - Throws: `Failure`: `not_found` when there is no such file, or it has ended; `taken_over` when somebody else came;
    ///   `bytes_lost` when bytes are missing that were durable. What the body throws.
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
                .takenOver, "another request goes on with this upload",
                hint: "ask for its offset and go on from there, with one request at a time")
        }
    }

    /// Whether a request works on a file at present.
    package func isInUse(_ id: PostID) -> Bool { locks.isHeld(id) }

    // MARK: The end

    /// Ends a file that will not be finished, and deletes its bytes. Durable when it returns.
    package func remove(_ id: PostID) async throws {
        try await tree.transact(at: "file-removed") { snapshot, update in
            if let file = try ResumableFile(id, in: snapshot) { update.endResumableFile(file) }
        }
        try await removeBytes(of: id)
    }

    /// Deletes the bytes of a file whose record has ended.
    package func removeBytes(of id: PostID) async throws {
        let name = ResumableFile.fileName(id)
        try await FileThreads.run { [incoming] () throws(FileError) in try incoming.remove(name) }
    }
}

extension Failure {
    static func noSuchFile(_ id: PostID) -> Failure {
        Failure(.notFound, "there is no unfinished upload \(id)", hint: "it may have expired; begin again")
    }

    static func tooManyBytes(limit: Int) -> Failure {
        Failure(
            .tooLarge, "the file has more than \(limit) bytes (\(limit >> 20) MiB)", hint: "send a smaller file")
    }
}
