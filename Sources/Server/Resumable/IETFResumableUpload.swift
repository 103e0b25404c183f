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

/// "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload), which `URLSession` of iOS 17 and later speaks, at
/// `/v1/uploads`. Its versions differ in names: ``InteropVersion``.
struct IETFResumableUpload: Sendable {
    /// The type of a body that goes on with an upload.
    static let contentType = "application/partial-upload"
    /// The status that tells where an upload can be gone on with.
    private static let resumptionSupported = HTTPResponse.Status(code: 104, reasonPhrase: "Upload Resumption Supported")

    let receiver: ResumableReceiver
    let response: UploadResponse
    /// The address of the service as its clients know it; nil where they know it by what they call it.
    let publicURL: PublicURL?
    let maxBytes: @Sendable () -> Int

    /// Whether a request begins an upload by this protocol; nil when it does not. A form is received in one piece.
    static func completeness(of request: Request) -> Bool? {
        request.headers.isMultipart ? nil : InteropVersion(request).isComplete(request)
    }

    // MARK: Beginning

    /// `POST /v1/uploads`, or `PUT`: takes an id, says where that can be gone on with, and takes the bytes.
    ///
    /// - Parameter whole: Answers a request that brings the photo of an earlier one with its key, whole.
    func create(_ request: Request, _ context: HTTPContext, whole: Handler) async throws -> Response {
        let version = InteropVersion(request)
        let isComplete = version.isComplete(request) ?? true
        var form = UploadForm(request, context)
        let length = try Self.length(in: request, at: 0, isComplete: isComplete)
        let photo = ResumableUploads.Photo(name: form.photoName, alt: try form.takeAlt(), length: length)
        let reservation = try ResumableForm.request(form)
        try receiver.disk.gate.check()
        let upload = try context.begin(.upload)
        defer { withExtendedLifetime(upload) {} }
        let record: UploadRecord
        switch try await receiver.uploads.begin(reservation, photo) {
        case .new(let new): record = new
        case .known(let known) where known.state == .receiving && !request.bringsBytes:
            // Only its address is wanted.
            record = known
        case .known(let known) where known.state == .receiving:
            // It comes again from its first byte.
            try await receiver.cancel(known)
            guard case .new(let again) = try await receiver.uploads.begin(reservation, photo) else {
                throw Failure(.takenOver, "another request begins the same upload", hint: "send one at a time")
            }
            record = again
        case .known(let known):
            guard isComplete else { throw Failure.keyReused(known.id) }
            return try await whole(request, context)
        }
        let location = location(of: record, request, context)
        announce(version, context, [.location: location, .uploadLimit: limit(version)])
        return try await answering(version, about: record, completing: isComplete) {
            let chunk = ResumableReceiver.Chunk(offset: 0, isLast: isComplete, accepts: isComplete)
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

    /// Tells a client of a version that is known something before the answer.
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

    /// The address at which an upload goes on: an absolute one, as not every client makes one of a path.
    private func location(of record: UploadRecord, _ request: Request, _ context: HTTPContext) -> String {
        let path = "/v1/uploads/\(record.id)"
        if let publicURL { return publicURL.origin + path }
        guard !context.isTrusted, let host = request.head.authority, !host.isEmpty else { return path }
        return "\(context.client.isEncrypted ? "https" : "http")://\(host)\(path)"
    }

    // MARK: Going on

    /// `HEAD /v1/uploads/{id}`: where it stands.
    func head(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let version = InteropVersion(request)
        let record = try await receiver.record(context)
        return try await answering(version, about: record, completing: false) {
            let progress = try await receiver.progress(of: record)
            return try await answer(progress, of: record, to: nil, version, status: .noContent)
        }
    }

    /// `PATCH /v1/uploads/{id}`: more bytes.
    func patch(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let version = InteropVersion(request)
        guard let isComplete = version.isComplete(request) else {
            throw Failure(
                .badRequest, "it is not said whether these are the last bytes",
                hint: "say Upload-Complete: ?1 or ?0 (or Tus-Resumable: \(Tus.version), for tus)")
        }
        let type = HeaderParameters(request.headers[.contentType] ?? "").value
        guard type == Self.contentType || !version.requiresContentType else {
            throw ErrorResponse(
                Failure(.unsupportedType, "the body is not \(Self.contentType)", hint: "say that it is"),
                headers: [.acceptPatch: Self.contentType])
        }
        guard let offset = request.headers[.uploadOffset].flatMap(StructuredField.integer) else {
            throw Failure(.badRequest, "Upload-Offset is no number of bytes", hint: "say where the bytes begin")
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

    /// `DELETE /v1/uploads/{id}`: its end.
    func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await receiver.cancel(try await receiver.record(context))
        return Response(status: .noContent)
    }

    // MARK: Answers

    /// Has errors say where the upload stands, as far as the protocol wants that.
    private func answering(
        _ version: InteropVersion, about record: UploadRecord, completing: Bool, _ answer: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await answer()
        } catch {
            let cause = (error as? ErrorResponse)?.error ?? error
            switch (cause as? Failure)?.code {
            case .wrongOffset:
                throw ErrorResponse(error, headers: version.completeness(record.state != .receiving))
            case .tooLarge: throw ErrorResponse(error, headers: [.uploadLimit: limit(version)])
            case .notFound, .uploadExpired, .bytesLost, .takenOver, .tooManyBytes, .lengthChanged, nil: throw error
            // What is said of the photo: all of it has come, and going on would change nothing.
            case let code? where completing && UploadForm.photoErrors.contains(code) && code != .tooSlow:
                throw ErrorResponse(error, headers: version.completeness(true))
            default: throw error
            }
        }
    }

    /// - Parameter request: The request that brought the last byte, which is answered with the post; nil for one that looks.
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

    /// What an upload may be: the field `Upload-Limit`.
    func limit(_ version: InteropVersion = .unknown, of file: ResumableFile? = nil) -> String {
        let lifetime = receiver.uploads.lifetime.components.seconds
        let seconds =
            file.map { max(0, lifetime - (receiver.uploads.files.now - $0.updatedAt).components.seconds) } ?? lifetime
        return "max-size=\(maxBytes()), \(version.lifetimeName)=\(seconds)"
    }

    /// How many bytes the whole has, by what a request says.
    private static func length(in request: Request, at offset: Int, isComplete: Bool) throws -> Int? {
        let said = request.headers[.uploadLength].flatMap(StructuredField.integer)
        guard isComplete, let rest = request.headers[.contentLength].flatMap({ Int($0) }) else { return said }
        let (sum, isTooLarge) = offset.addingReportingOverflow(rest)
        guard !isTooLarge, said ?? sum == sum else {
            throw ErrorResponse(
                Failure(.lengthChanged, "Upload-Length is not the sum of what came and what is coming"),
                type: .inconsistentUploadLength)
        }
        return sum
    }
}
