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

/// The common part of the protocols for uploads in several requests: finds an upload and its offset, and adds bytes.
package struct ResumableReceiver: Sendable {
    let uploads: ResumableUploads
    let store: UploadStore
    let disk: DiskMonitor

    package init(uploads: ResumableUploads, store: UploadStore, disk: DiskMonitor) {
        self.uploads = uploads
        self.store = store
        self.disk = disk
    }

    /// The properties of the bytes in a request.
    struct Chunk: Sendable {
        /// The offset of the first byte.
        var offset: Int
        /// The size of the whole file, if the request specifies it.
        var length: Int?
        /// Whether these are the last bytes, whatever the size.
        var isLast = false
        /// Whether the upload is processed as soon as all bytes have arrived.
        var accepts = true
        var checksum: UploadChecksum?
    }

    /// The progress of an upload.
    enum Progress: Sendable {
        /// Bytes are missing, or it is not known whether they are complete.
        case receiving(ResumableFile)
        /// All bytes have arrived; this is the upload's record.
        case complete(UploadRecord)
    }

    // MARK: Progress

    /// Returns the upload of an address, if it belongs to the requester.
    ///
    /// - Throws: `Failure`: `not_found`; `upload_expired`.
    func record(_ context: HTTPContext) async throws -> UploadRecord {
        guard let id = PostID(context.parameters.get("id") ?? ""), let record = try await store.record(of: id),
            context.identity.owns(record), record.state != .draft, record.state != .reserved
        else {
            throw Failure(.notFound, "the upload does not exist", hint: "Begin again: it may have expired.")
        }
        guard record.state != .expired else {
            throw Failure(.uploadExpired, "the upload was idle for too long, or has ended", hint: "Begin again.")
        }
        return record
    }

    /// Returns the progress of an upload. A request that is receiving it is ended, so that the progress stays true. An
    /// upload whose bytes have all arrived is now processed.
    ///
    /// - Throws: `Failure`: `bytes_lost`, with which the upload has then failed; the refusal of a file that is not a
    ///   photo.
    func progress(of record: UploadRecord) async throws -> Progress {
        guard record.state == .receiving else { return try await end(of: record) }
        return try await work(on: record, isBrief: true) { [uploads] session in
            guard session.record.isComplete else { return .receiving(session.record) }
            return .complete(try await uploads.accept(session))
        }
    }

    /// Returns the progress of an upload that has just begun.
    ///
    /// - Throws: See ``progress(of:)``.
    func beginning(of record: UploadRecord) async throws -> Progress {
        guard let file = try await uploads.files.record(of: record.id) else { return try await progress(of: record) }
        return .receiving(file)
    }

    /// Forgets the bytes of an upload that is sent again from its first byte. A request that is receiving it is ended. An
    /// upload whose bytes have all arrived is now processed instead.
    ///
    /// - Returns: The upload's record; it is no longer `receiving` if all bytes had arrived.
    /// - Throws: See ``progress(of:)``.
    func restart(_ record: UploadRecord) async throws -> UploadRecord {
        let progress = try await work(on: record, isBrief: true) { [uploads] session in
            if session.record.isComplete { return .complete(try await uploads.accept(session)) }
            try await session.restart()
            return .receiving(session.record)
        }
        if case .complete(let ended) = progress { return ended }
        return record
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
            // Its state has changed since the lookup.
            guard let now = try await store.record(of: record.id), now.state != .receiving, now.state != .expired
            else { throw error }
            return try await end(of: now)
        }
    }

    // MARK: Receiving

    /// Adds the bytes of a request's body. Received bytes are kept, however the request ends. Another request that is
    /// receiving is ended, unless the bytes cannot be added.
    ///
    /// - Parameter onCheckpoint: Receives the number of durable bytes while more are arriving.
    /// - Throws: `Failure`: `wrong_offset`, with the right one; `length_changed`, `too_large_bytes`, `too_many_bytes`,
    ///   `checksum_mismatch`, `taken_over`; the refusal of a file that is not a photo; the connection's errors.
    func receive(
        _ request: Request, into record: UploadRecord, _ chunk: Chunk,
        onCheckpoint: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> Progress {
        guard record.state == .receiving else { return try await repeated(chunk, of: record, request) }
        try await uploads.requireDraft(of: record)
        // The offset that clients receive is that of the record: any other is wrong, whatever another request is
        // receiving.
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
                // The last byte has arrived, and then another error occurred.
                guard chunk.accepts, session.record.isComplete, chunk.checksum == nil else { throw error }
            }
            guard chunk.accepts, session.record.isComplete else { return .receiving(session.record) }
            return .complete(try await uploads.accept(session))
        }
    }

    /// Refuses bytes that cannot be added to the received ones.
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

    /// Handles a request for an upload whose bytes have all arrived: the same result, if the request adds no bytes or
    /// repeats the last one.
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

    /// Reads bytes that were received before, unless their client waits for `100 Continue`.
    ///
    /// - Throws: `Failure` `too_many_bytes`; `wrong_offset` if they end too early; the connection's errors.
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
            Failure(.tooManyBytes, "all bytes of this upload have arrived", hint: "Request its state."),
            type: .completedUpload)
    }

    private static func wrongOffset(_ provided: Int, insteadOf expected: Int) -> ErrorResponse {
        ErrorResponse(
            Failure(
                .wrongOffset, "the upload has \(expected) bytes; these begin at \(provided)",
                hint: "Send it from byte \(expected) on."),
            headers: [.uploadOffset: "\(expected)"],
            type: .mismatchingUploadOffset(expected: expected, provided: provided))
    }

    // MARK: The end

    /// Ends an upload that its sender cancels.
    ///
    /// - Throws: `Failure` `wrong_state` when all bytes have arrived.
    func cancel(_ record: UploadRecord) async throws {
        guard record.state == .receiving else {
            throw Failure(
                .wrongState, "upload \(record.id) is \(record.state.rawValue)",
                hint: "Delete a post with DELETE /v1/posts.")
        }
        try await uploads.cancel(record.id)
    }
}
