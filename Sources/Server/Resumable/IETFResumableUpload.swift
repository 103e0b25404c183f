import API
import Access
import HTTPTypes
import Hummingbird
import Model
import Requests
import Social
import Store
import Transport
import TreeModel
import Uploads

/// "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload), which `URLSession` uses since iOS 17, at
/// `/v1/uploads`. Its versions differ in names: ``InteropVersion``.
struct IETFResumableUpload: Sendable {
    /// The type of a body that continues an upload.
    static let contentType = "application/partial-upload"
    /// The status of the interim response that contains the address of an upload.
    private static let resumptionSupported = HTTPResponse.Status(code: 104, reasonPhrase: "Upload Resumption Supported")

    let receiver: ResumableReceiver
    let response: UploadResponse
    /// The public address of the service; nil if the address in the request is used.
    let publicURL: PublicURL?
    let maxBytes: @Sendable () -> Int

    /// Whether a request that begins an upload by this protocol is complete; nil for other requests. A form is
    /// received in one request.
    static func completeness(of request: Request) -> Bool? {
        request.headers.isMultipart ? nil : InteropVersion(request).isComplete(request)
    }

    // MARK: Beginning

    /// Handles `POST /v1/uploads`, or `PUT`: reserves an id, announces the upload's address, and receives the bytes.
    ///
    /// - Parameter whole: Answers a request with a key of an earlier upload that sends the photo again, whole.
    func create(_ request: Request, _ context: HTTPContext, whole: Handler) async throws -> Response {
        try await create(request, context) { form, photo in
            let reservation = try ResumableForm.request(form)
            return { try await receiver.uploads.begin(reservation, photo) }
        } repeated: { known, chunk in
            guard chunk.isLast else { throw Failure.keyReused(known.id) }
            return try await whole(request, context)
        }
    }

    /// Handles `POST /v1/uploads/{draft}/photos`, or `PUT`: begins a photo of a draft, as an upload of its own.
    func create(_ request: Request, _ context: HTTPContext, of draft: UploadRecord) async throws -> Response {
        let reference = request.headers[.idempotencyKey]
        return try await create(request, context) { _, photo in
            { try await receiver.uploads.begin(photo, of: draft, clientReference: reference) }
        } repeated: { known, chunk in
            let version = InteropVersion(request)
            return try await answering(version, about: known, completing: chunk.isLast) {
                let progress = try await receive(request, context, version, into: known, chunk)
                return try await answer(progress, of: known, to: request, version, status: .created)
            }
        }
    }

    /// - Parameters:
    ///   - prepare: Parses the form, and returns the action that begins the upload.
    ///   - repeated: Answers a request with a key of an earlier upload whose bytes have all arrived.
    private func create(
        _ request: Request, _ context: HTTPContext,
        _ prepare: (UploadForm, ResumableUploads.Photo) throws -> () async throws -> Reservation,
        repeated: (UploadRecord, ResumableReceiver.Chunk) async throws -> Response
    ) async throws -> Response {
        let version = InteropVersion(request)
        let isComplete = version.isComplete(request) ?? true
        var form = UploadForm(request, context)
        let length = try Self.length(in: request, at: 0, isComplete: isComplete)
        let photo = ResumableUploads.Photo(name: form.photoName, alt: try form.takeAlt(), length: length)
        let begin = try prepare(form, photo)
        try receiver.disk.gate.check()
        let upload = try context.begin(.upload)
        defer { withExtendedLifetime(upload) {} }
        let chunk = ResumableReceiver.Chunk(offset: 0, length: length, isLast: isComplete, accepts: isComplete)
        let record: UploadRecord
        switch try await begin() {
        case .new(let new): record = new
        case .known(var known):
            if known.state == .receiving, request.bringsBytes {
                // The photo is sent again from its first byte, unless all bytes have arrived.
                known = try await answering(version, about: known, completing: isComplete) {
                    try await receiver.restart(known)
                }
            }
            guard known.state == .receiving else { return try await repeated(known, chunk) }
            record = known
        }
        let location = location(of: record, request, context)
        announce(version, context, [.location: location, .uploadLimit: limit(version)])
        return try await answering(version, about: record, completing: isComplete) {
            let progress =
                if isComplete || request.bringsBytes {
                    try await receive(request, context, version, into: record, chunk)
                } else {
                    try await receiver.progress(of: record)
                }
            var response = try await answer(progress, of: record, to: request, version, status: .created)
            if case .receiving = progress { response.headers[.location] = location }
            return response
        }
    }

    /// Sends an interim response to a client of a known version.
    private func announce(_ version: InteropVersion, _ context: HTTPContext, _ headers: HTTPFields) {
        guard let number = version.number else { return }
        var headers = headers
        headers[.draftInteropVersion] = "\(number)"
        context.sendInterim(Self.resumptionSupported, headers)
    }

    private func receive(
        _ request: Request, _ context: HTTPContext, _ version: InteropVersion, into record: UploadRecord,
        _ chunk: ResumableReceiver.Chunk
    ) async throws -> ResumableReceiver.Progress {
        try await receiver.receive(context.asking(request), into: record, chunk) { byteCount in
            if version.hasProgress { announce(version, context, [.uploadOffset: "\(byteCount)"]) }
        }
    }

    /// Returns the address at which an upload is continued: an absolute one, because not every client resolves a path.
    private func location(of record: UploadRecord, _ request: Request, _ context: HTTPContext) -> String {
        let path = "/v1/uploads/\(record.id)"
        if let publicURL { return publicURL.origin + path }
        guard !context.isTrusted, let host = request.head.authority, !host.isEmpty else { return path }
        return "\(context.client.isEncrypted ? "https" : "http")://\(host)\(path)"
    }

    // MARK: Continuing

    /// Handles `HEAD /v1/uploads/{id}`: reports the offset.
    func head(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let version = InteropVersion(request)
        let record = try await receiver.record(context)
        return try await answering(version, about: record, completing: false) {
            let progress = try await receiver.progress(of: record)
            return try await answer(progress, of: record, to: nil, version, status: .noContent)
        }
    }

    /// Handles `PATCH /v1/uploads/{id}`: receives more bytes.
    func patch(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let version = InteropVersion(request)
        guard let isComplete = version.isComplete(request) else {
            throw Failure(
                .badRequest, "the request does not specify whether these are the last bytes",
                hint: "Send Upload-Complete: ?1 or ?0 (or Tus-Resumable: \(Tus.version), for tus).")
        }
        let type = HeaderParameters(request.headers[.contentType] ?? "").value
        guard type == Self.contentType || !version.requiresContentType else {
            throw ErrorResponse(
                Failure(.unsupportedType, "the body is not \(Self.contentType)", hint: "Set its Content-Type."),
                headers: [.acceptPatch: Self.contentType])
        }
        guard let offset = request.headers[.uploadOffset].flatMap(StructuredField.integer) else {
            throw Failure(.badRequest, "Upload-Offset is not a number", hint: "Give the position of the first byte.")
        }
        try receiver.disk.gate.check()
        let record = try await receiver.record(context)
        return try await answering(version, about: record, completing: isComplete) {
            let upload = try context.begin(.upload)
            defer { withExtendedLifetime(upload) {} }
            var chunk = ResumableReceiver.Chunk(offset: offset, isLast: isComplete, accepts: isComplete)
            chunk.length = try Self.length(in: request, at: offset, isComplete: isComplete)
            let progress = try await receive(request, context, version, into: record, chunk)
            return try await answer(progress, of: record, to: request, version, status: version.appended)
        }
    }

    /// Handles `DELETE /v1/uploads/{id}`: cancels the upload.
    func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await receiver.cancel(try await receiver.record(context))
        return Response(status: .noContent)
    }

    // MARK: Responses

    /// Adds the upload's offset to errors, as far as the protocol requires it.
    private func answering<Result>(
        _ version: InteropVersion, about record: UploadRecord, completing: Bool,
        _ answer: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await answer()
        } catch {
            let cause = (error as? ErrorResponse)?.error ?? error
            switch (cause as? Failure)?.code {
            case .wrongOffset:
                throw ErrorResponse(error, headers: version.completeness(record.state != .receiving))
            case .tooLarge: throw ErrorResponse(error, headers: [.uploadLimit: limit(version)])
            case .notFound, .uploadExpired, .bytesLost, .takenOver, .tooManyBytes, .lengthChanged, nil: throw error
            // Errors of the photo itself: all bytes have arrived, and continuing would change nothing.
            case let code? where completing && UploadForm.photoErrors.contains(code) && code != .tooSlow:
                throw ErrorResponse(error, headers: version.completeness(true))
            default: throw error
            }
        }
    }

    /// - Parameter request: The request with the last byte, which is answered with the post; nil for a status request.
    private func answer(
        _ progress: ResumableReceiver.Progress, of record: UploadRecord, to request: Request?,
        _ version: InteropVersion,
        status: HTTPResponse.Status
    ) async throws -> Response {
        var response = Response(status: status)
        switch progress {
        case .receiving(let file):
            response.headers = version.completeness(false)
            response.headers[.uploadOffset] = "\(file.byteCount)"
            response.headers[.uploadLength] = file.length.map { "\($0)" }
            response.headers[.uploadLimit] = limit(version, of: file)
        case .complete(let ended):
            if let request { response = try await self.response.outcome(of: ended, for: request) }
            let byteCount = ended.lastByte ?? 0
            for field in version.completeness(true) { response.headers[field.name] = field.value }
            response.headers[.uploadOffset] = "\(byteCount)"
            response.headers[.uploadLength] = "\(byteCount)"
            response.headers[.uploadLimit] = limit(version)
        }
        if version.number != nil { response.headers[.draftInteropVersion] = version.number.map { "\($0)" } }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Returns the limits of an upload: the field `Upload-Limit`.
    func limit(_ version: InteropVersion = .unknown, of file: ResumableFile? = nil) -> String {
        let lifetime = receiver.uploads.lifetime.components.seconds
        let seconds =
            file.map { max(0, lifetime - (receiver.uploads.files.now - $0.updatedAt).components.seconds) } ?? lifetime
        return "max-size=\(maxBytes()), \(version.lifetimeName)=\(seconds)"
    }

    /// Returns the size of the whole file, in bytes, according to a request; nil if it is unknown.
    private static func length(in request: Request, at offset: Int, isComplete: Bool) throws -> Int? {
        let said = request.headers[.uploadLength].flatMap(StructuredField.integer)
        guard isComplete, let rest = request.headers[.contentLength].flatMap({ Int($0) }) else { return said }
        let (sum, isTooLarge) = offset.addingReportingOverflow(rest)
        guard !isTooLarge, said ?? sum == sum else {
            throw ErrorResponse(
                Failure(.lengthChanged, "Upload-Length is not the sum of the received and the announced bytes"),
                type: .inconsistentUploadLength)
        }
        return sum
    }
}
