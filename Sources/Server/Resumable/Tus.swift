import API
import Access
import Files
import Foundation
import HTTPTypes
import Hummingbird
import Model
import Requests
import Social
import Store
import Transport
import TreeModel
import Uploads

/// The protocol tus 1.0.0 (<https://tus.io/protocols/resumable-upload>) at `/v1/uploads`, with its extensions creation,
/// creation-with-upload, creation-defer-length, checksum, expiration and termination. The extension concatenation is refused: a
/// photo is too small for parts in parallel to be worth their joining.
package struct Tus: Sendable {
    static let version = "1.0.0"
    static let extensions =
        "creation,creation-with-upload,creation-defer-length,checksum,expiration,termination"
    static let checksumAlgorithms = "sha1,sha256,md5"
    /// The type of a body that brings bytes.
    static let contentType = "application/offset+octet-stream"

    let receiver: ResumableReceiver
    let response: UploadResponse

    /// Whether a request speaks this protocol.
    static func isSpoken(in request: Request) -> Bool { request.headers[.tusResumable] != nil }

    // MARK: Beginning

    /// `POST /v1/uploads`: takes an id, and the first bytes, if the body has any.
    func create(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await create(request, context) { form, photo in
            let reservation = try ResumableForm.request(form)
            return { try await receiver.uploads.begin(reservation, photo) }
        }
    }

    /// `POST /v1/uploads/{draft}/photos`: begins a photo of a draft, as an upload of its own.
    func create(_ request: Request, _ context: HTTPContext, of draft: UploadRecord) async throws -> Response {
        try await create(request, context) { _, photo in
            let reference = request.headers[.idempotencyKey]
            return { try await receiver.uploads.begin(photo, of: draft, clientReference: reference) }
        }
    }

    /// - Parameter prepare: Reads the form, and says how what it asks for is begun.
    private func create(
        _ request: Request, _ context: HTTPContext,
        _ prepare: (UploadForm, ResumableUploads.Photo) throws -> () async throws -> Reservation
    ) async throws -> Response {
        try await answering(request) {
            var form = UploadForm(request, context)
            let photo = try announcement(in: request, &form)
            let begin = try prepare(form, photo)
            let upload = try context.begin(.upload)
            defer { withExtendedLifetime(upload) {} }
            let record: UploadRecord
            switch try await begin() {
            case .new(let new): record = new
            case .known(let known): return try await answer(about: known, status: .created)
            }
            guard try Self.hasBody(request) || photo.length == 0 else {
                return try await answer(
                    try await receiver.beginning(of: record), of: record, to: nil, status: .created)
            }
            var chunk = ResumableReceiver.Chunk(offset: 0)
            chunk.checksum = try Self.checksum(in: request)
            let progress = try await receiver.receive(context.asking(request), into: record, chunk)
            return try await answer(progress, of: record, to: request, status: .created)
        }
    }

    /// Reads what is said of the photo, and has the form know what is said of the post.
    private func announcement(in request: Request, _ form: inout UploadForm) throws -> ResumableUploads.Photo {
        guard request.headers[.uploadConcat] == nil else {
            throw Failure(
                .badRequest, "uploads are not concatenated here",
                hint: "send the photo as one upload, without Upload-Concat (parallelUploads: 1)")
        }
        let length = try Self.length(in: request)
        guard length != nil || request.headers[.uploadDeferLength] == "1" else {
            throw Failure(
                .badRequest, "neither Upload-Length nor Upload-Defer-Length: 1 is given",
                hint: "say how many bytes the photo has")
        }
        var name = form.photoName
        let field = request.headers[.uploadMetadata]
        if let field, !field.isEmpty {
            guard field.utf8.count <= 16 << 10, let metadata = UploadMetadata(field) else {
                throw Failure(
                    .badRequest, "Upload-Metadata is too long",
                    hint: "it has at most \(UploadMetadata.maxCount) pairs and 16 KiB")
            }
            if let fileName = metadata.fileName { name = fileName }
            try form.take(metadata)
        }
        return ResumableUploads.Photo(name: name, alt: try form.takeAlt(), length: length, metadata: field)
    }

    // MARK: Going on

    /// `HEAD /v1/uploads/{id}`: where it stands.
    func head(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(request) { try await answer(about: try await receiver.record(context), status: .ok) }
    }

    /// `PATCH /v1/uploads/{id}`: more bytes.
    func patch(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(request) {
            guard HeaderParameters(request.headers[.contentType] ?? "").value == Self.contentType else {
                throw Failure(.unsupportedType, "the body is not \(Self.contentType)", hint: "say that it is")
            }
            guard let offset = request.headers[.uploadOffset].flatMap(Self.integer) else {
                throw Failure(.badRequest, "Upload-Offset is no number of bytes", hint: "say where the bytes begin")
            }
            try receiver.disk.gate.check()
            let record = try await receiver.record(context)
            let upload = try context.begin(.upload)
            defer { withExtendedLifetime(upload) {} }
            var chunk = ResumableReceiver.Chunk(offset: offset)
            chunk.length = try Self.length(in: request)
            chunk.checksum = try Self.checksum(in: request)
            let progress = try await receiver.receive(context.asking(request), into: record, chunk)
            return try await answer(progress, of: record, to: request, status: .noContent)
        }
    }

    /// `DELETE /v1/uploads/{id}`: its end.
    func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(request) {
            try await receiver.cancel(try await receiver.record(context))
            return Response(status: .noContent)
        }
    }

    /// `OPTIONS`: what there is.
    static func options(maxBytes: Int) -> HTTPFields {
        [
            .tusResumable: version, .tusVersion: version, .tusExtension: extensions, .tusMaxSize: "\(maxBytes)",
            .tusChecksumAlgorithm: checksumAlgorithms,
        ]
    }

    // MARK: Answers

    /// Answers in words of the protocol, errors too.
    private func answering(_ request: Request, _ answer: () async throws -> Response) async throws -> Response {
        do {
            guard request.headers[.tusResumable] == Self.version else {
                throw ErrorResponse(
                    Failure(
                        .protocolVersion, "tus is not spoken here in this version",
                        hint: "say Tus-Resumable: \(Self.version)"),
                    headers: [.tusVersion: Self.version])
            }
            var response = try await answer()
            response.headers[.tusResumable] = Self.version
            return response
        } catch {
            throw ErrorResponse(error, headers: [.tusResumable: Self.version])
        }
    }

    private func answer(about record: UploadRecord, status: HTTPResponse.Status) async throws -> Response {
        try await answer(try await receiver.progress(of: record), of: record, to: nil, status: status)
    }

    /// - Parameter request: The request that brought the last byte, whose sender waits for the post; nil for one that looks.
    private func answer(
        _ progress: ResumableReceiver.Progress, of record: UploadRecord, to request: Request?,
        status: HTTPResponse.Status
    ) async throws -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if status == .created { headers[.location] = "/v1/uploads/\(record.id)" }
        switch progress {
        case .receiving(let file):
            headers[.uploadOffset] = "\(file.byteCount)"
            if let length = file.length {
                headers[.uploadLength] = "\(length)"
            } else {
                headers[.uploadDeferLength] = "1"
            }
            headers[.uploadExpires] = Self.httpDate(file.updatedAt + receiver.uploads.lifetime)
            headers[.uploadMetadata] = ResumableUploads.Photo(of: file).metadata
        case .complete(let ended):
            let byteCount = ended.lastByte ?? 0
            headers[.uploadOffset] = "\(byteCount)"
            headers[.uploadLength] = "\(byteCount)"
            if let request {
                headers[.contentLocation] = try await response.outcome(of: ended, for: request).headers[.location]
            }
        }
        return Response(status: status, headers: headers)
    }

    /// A moment as HTTP writes it (RFC 9110 §5.6.7).
    static func httpDate(_ moment: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(moment.milliseconds / 1000))
        return date.formatted(
            Date.VerbatimFormatStyle(
                format:
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    }
}

// MARK: - Fields of requests

extension Tus {
    private static func length(in request: Request) throws(Failure) -> Int? {
        guard let text = request.headers[.uploadLength] else { return nil }
        guard let length = integer(text) else {
            throw Failure(.badRequest, "Upload-Length is no number of bytes", hint: "say how many bytes the photo has")
        }
        return length
    }

    private static func checksum(in request: Request) throws(Failure) -> UploadChecksum? {
        guard let text = request.headers[.uploadChecksum] else { return nil }
        guard let checksum = UploadChecksum(text) else {
            throw Failure(
                .badRequest, "Upload-Checksum cannot be read",
                hint: "it is one of \(checksumAlgorithms), a space, and the digest in Base64")
        }
        return checksum
    }

    /// Whether a request that begins an upload brings bytes.
    private static func hasBody(_ request: Request) throws(Failure) -> Bool {
        guard request.bringsBytes else { return false }
        guard HeaderParameters(request.headers[.contentType] ?? "").value == contentType else {
            throw Failure(.unsupportedType, "the body is not \(contentType)", hint: "say that it is, or send none")
        }
        return true
    }

    /// At most 15 digits, and nothing else.
    private static func integer(_ text: String) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}

extension HTTPField.Name {
    static var tusResumable: HTTPField.Name { HTTPField.Name(parsed: "tus-resumable") }
    static var tusVersion: HTTPField.Name { HTTPField.Name(parsed: "tus-version") }
    static var tusExtension: HTTPField.Name { HTTPField.Name(parsed: "tus-extension") }
    static var tusMaxSize: HTTPField.Name { HTTPField.Name(parsed: "tus-max-size") }
    static var tusChecksumAlgorithm: HTTPField.Name { HTTPField.Name(parsed: "tus-checksum-algorithm") }
    static var uploadMetadata: HTTPField.Name { HTTPField.Name(parsed: "upload-metadata") }
    static var uploadChecksum: HTTPField.Name { HTTPField.Name(parsed: "upload-checksum") }
    static var uploadConcat: HTTPField.Name { HTTPField.Name(parsed: "upload-concat") }
    static var uploadDeferLength: HTTPField.Name { HTTPField.Name(parsed: "upload-defer-length") }
    static var uploadExpires: HTTPField.Name { HTTPField.Name(parsed: "upload-expires") }
}
