import API
import Access
import HTTPTypes
import Hummingbird
import Model
import Requests
package import Store
import Transport
import TreeModel
package import Uploads

/// What the protocols of uploads in several requests have in common: which upload is meant, where it stands, and how bytes are
/// added.
package struct ResumableReceiver: Sendable {
    let uploads: ResumableUploads
    let store: UploadStore
    let disk: DiskMonitor

    package init(uploads: ResumableUploads, store: UploadStore, disk: DiskMonitor) {
        self.uploads = uploads
        self.store = store
        self.disk = disk
    }

    /// What a request says of the bytes that it brings.
    struct Chunk: Sendable {
        /// Where they begin.
        var offset: Int
        /// The size of the whole, if the request says it.
        var length: Int?
        /// Whether the whole ends with them, whatever its size.
        var isLast = false
        /// Whether the upload goes on by itself once all bytes are there.
        var accepts = true
        var checksum: UploadChecksum?
    }

    /// Where an upload stands.
    enum Progress: Sendable {
        /// Bytes are missing, or whether they are all was not said.
        case receiving(ResumableFile)
        /// All bytes have come; this is what becomes of them.
        case complete(UploadRecord)
    }

    // MARK: Looking

    /// The upload of an address, if it is theirs who ask.
    ///
    /// - Throws: `Failure`: `not_found`; `upload_expired`.
    func record(_ context: HTTPContext) async throws -> UploadRecord {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await store.record(of: id),
            context.identity.owns(record), record.state != .draft, record.state != .reserved
        else {
            throw Failure(.notFound, "there is no such upload", hint: "it may have expired; begin again")
        }
        guard record.state != .expired else {
            throw Failure(.uploadExpired, "the upload was left alone for too long, or ended", hint: "begin again")
        }
        return record
    }

    /// The present record of an upload. Whoever was receiving it ends, so that what is told stays true. One whose bytes have all come
    /// goes on by itself now.
    ///
    /// - Throws: `Failure`: `bytes_lost`, with which the upload has failed then; the refusal of what is no photo.
    func progress(of record: UploadRecord) async throws -> Progress {
        guard record.state == .receiving else { return try await end(of: record) }
        return try await work(on: record, isBrief: true) { [uploads] session in
            guard session.record.isComplete else { return .receiving(session.record) }
            return .complete(try await uploads.accept(session))
        }
    }

    /// Where an upload stands that has just begun.
    ///
    /// - Throws: As ``progress(of:)``.
    func beginning(of record: UploadRecord) async throws -> Progress {
        guard let file = try await uploads.files.record(of: record.id) else { return try await progress(of: record) }
        return .receiving(file)
    }

    private func end(of record: UploadRecord) async throws -> Progress {
        guard record.state != .failed else { throw record.error ?? Failure(.wrongState, "upload \(record.id) failed") }
        return .complete(record)
    }

    private func work(
        on record: UploadRecord, isBrief: Bool = false,
        _ body: @escaping @Sendable (ResumableSession) async throws -> Progress
    ) async throws -> Progress {
        do {
            return try await uploads.files.withFile(record.id, isBrief: isBrief, body)
        } catch let error as Failure where error.code == .bytesLost {
            try await uploads.fail(record.id, with: error)
            throw error
        } catch let error as Failure where error.code == .notFound {
            // It has moved on since it was looked up.
            guard let now = try await store.record(of: record.id), now.state != .receiving, now.state != .expired
            else { throw error }
            return try await end(of: now)
        }
    }

    // MARK: Receiving

    /// Adds the bytes of a request's body. What has come is kept, however the request ends. Whoever was receiving ends,
    /// unless the bytes cannot be added.
    ///
    /// - Parameter onCheckpoint: Is told how many bytes are durable, while more are coming.
    /// - Throws: `Failure`: `wrong_offset`, with the right one; `length_changed`, `too_large_bytes`, `too_many_bytes`,
    ///   `checksum_mismatch`, `taken_over`; the refusal of what is no photo; what became of the connection.
    func receive(
        _ request: Request, into record: UploadRecord, _ chunk: Chunk,
        onCheckpoint: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Progress {
        guard record.state == .receiving else { return try await repeated(chunk, of: record, request) }
        try await uploads.requireDraft(of: record)
        // An offset that was told is that of the record: any other is wrong, whatever another request is receiving.
        if let file = try await uploads.files.record(of: record.id) {
            try Self.check(chunk, of: request, against: file)
        }
        return try await work(on: record) { [uploads] session in
            try Self.check(chunk, of: request, against: session.record)
            if let length = chunk.length { try await session.announce(length: length) }
            var body = ResumableBody(request, checksum: chunk.checksum)
            var told = session.record.byteCount
            do {
                try await session.receive(isWhole: chunk.checksum != nil, isLast: chunk.isLast) {
                    let byteCount = session.record.byteCount
                    if byteCount > told { onCheckpoint(byteCount) }
                    told = byteCount
                    return try await body.next()
                }
            } catch {
                // The last byte came, and then something else was in the way.
                guard chunk.accepts, session.record.isComplete, chunk.checksum == nil else { throw error }
            }
            guard chunk.accepts, session.record.isComplete else { return .receiving(session.record) }
            return .complete(try await uploads.accept(session))
        }
    }

    /// Refuses bytes that cannot be added to those that are there.
    private static func check(_ chunk: Chunk, of request: Request, against file: ResumableFile) throws {
        guard chunk.offset == file.byteCount else { throw wrongOffset(chunk.offset, insteadOf: file.byteCount) }
        do {
            let announced = request.headers[.contentLength].flatMap { Int($0) }
            try file.check(adding: announced ?? 0, of: chunk.length)
        } catch {
            guard error.code == .lengthChanged else { throw error }
            throw ErrorResponse(error, type: .inconsistentUploadLength)
        }
    }

    /// A request for an upload all of whose bytes have come: the same end, if it brings no more, or is the last one again.
    private func repeated(_ chunk: Chunk, of record: UploadRecord, _ request: Request) async throws -> Progress {
        let end = record.lastByte ?? 0
        if chunk.isLast, chunk.length == end, chunk.offset < end, request.bringsBytes {
            try await passOver(request, chunk, upTo: end)
            return try await self.end(of: record)
        }
        guard chunk.offset == end || record.state == .failed else {
            throw Self.wrongOffset(chunk.offset, insteadOf: end)
        }
        guard !request.bringsBytes else { throw Self.tooManyBytes }
        return try await self.end(of: record)
    }

    /// Reads bytes that are there already, unless their client waits to be asked for them.
    ///
    /// - Throws: `Failure` `too_many_bytes`; `wrong_offset` when they end too early; what became of the connection.
    private func passOver(_ request: Request, _ chunk: Chunk, upTo end: Int) async throws {
        guard request.headers[.expect] == nil else { return }
        var body = ResumableBody(request, checksum: chunk.checksum)
        var byteCount = chunk.offset
        while let bytes = try await body.next() {
            byteCount += bytes.readableBytes
            guard byteCount <= end else { throw Self.tooManyBytes }
        }
        guard byteCount == end else { throw Self.wrongOffset(chunk.offset, insteadOf: end) }
    }

    private static var tooManyBytes: ErrorResponse {
        ErrorResponse(
            Failure(.tooManyBytes, "all bytes of this upload have come", hint: "ask what became of it"),
            type: .completedUpload)
    }

    private static func wrongOffset(_ provided: Int, insteadOf expected: Int) -> ErrorResponse {
        ErrorResponse(
            Failure(
                .wrongOffset, "the upload has \(expected) bytes, and these begin at \(provided)",
                hint: "send it from byte \(expected) on"),
            headers: [.uploadOffset: "\(expected)"],
            type: .mismatchingUploadOffset(expected: expected, provided: provided))
    }

    // MARK: The end

    /// Ends an upload that its sender does not want any more.
    ///
    /// - Throws: `Failure` `wrong_state` when all bytes have come.
    func cancel(_ record: UploadRecord) async throws {
        guard record.state == .receiving else {
            throw Failure(
                .wrongState, "upload \(record.id) is \(record.state.rawValue)",
                hint: "to delete a post: DELETE /v1/posts")
        }
        try await uploads.cancel(record.id)
    }
}
