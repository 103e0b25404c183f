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
/// creation-with-upload, creation-defer-length, checksum, expiration and termination. The extension concatenation is
/// refused: a photo is too small to be worth sending in parallel parts.
package struct Tus: Sendable {
    static let version = "1.0.0"
    static let extensions =
        "creation,creation-with-upload,creation-defer-length,checksum,expiration,termination"
    static let checksumAlgorithms = "sha1,sha256,md5"
    /// The type of a body with bytes of an upload.
    static let contentType = "application/offset+octet-stream"

    let receiver: ResumableReceiver
    let response: UploadResponse

    /// Whether a request uses this protocol.
    static func isSpoken(in request: Request) -> Bool { request.headers[.tusResumable] != nil }

    // MARK: Creation

    /// Handles `POST /v1/uploads`: reserves an id, and receives the first bytes, if the body has any.
    func create(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await create(request, context) { form, photo in
            let reservation = try ResumableForm.request(form)
            return { try await receiver.uploads.begin(reservation, photo) }
        }
    }

    /// Handles `POST /v1/uploads/{draft}/photos`: begins a photo of a draft, as an upload of its own.
    func create(_ request: Request, _ context: HTTPContext, of draft: UploadRecord) async throws -> Response {
        try await create(request, context) { _, photo in
            let reference = request.headers[.idempotencyKey]
            return { try await receiver.uploads.begin(photo, of: draft, clientReference: reference) }
        }
    }

    /// - Parameter prepare: Parses the form, and returns the action that begins the upload.
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

    /// Parses the description of the photo, and adds the description of the post to the form.
    private func announcement(in request: Request, _ form: inout UploadForm) throws -> ResumableUploads.Photo {
        guard request.headers[.uploadConcat] == nil else {
            throw Failure(
                .badRequest, "concatenation of uploads is not supported",
                hint: "Send the photo as one upload, without Upload-Concat (parallelUploads: 1).")
        }
        let length = try Self.length(in: request)
        guard length != nil || request.headers[.uploadDeferLength] == "1" else {
            throw Failure(
                .badRequest, "neither Upload-Length nor Upload-Defer-Length: 1 is given",
                hint: "Give the size of the photo in bytes.")
        }
        var name = form.photoName
        let field = request.headers[.uploadMetadata]
        if let field, !field.isEmpty {
            guard field.utf8.count <= 16 << 10, let metadata = UploadMetadata(field) else {
                throw Failure(
                    .badRequest, "Upload-Metadata is too long",
                    hint: "Send at most \(UploadMetadata.maxCount) pairs and 16 KiB.")
            }
            if let fileName = metadata.fileName { name = fileName }
            try form.take(metadata)
        }
        return ResumableUploads.Photo(name: name, alt: try form.takeAlt(), length: length, metadata: field)
    }

    // MARK: Continuing

    /// Handles `HEAD /v1/uploads/{id}`: reports the offset.
    func head(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(request) { try await answer(about: try await receiver.record(context), status: .ok) }
    }

    /// Handles `PATCH /v1/uploads/{id}`: receives more bytes.
    func patch(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(request) {
            guard HeaderParameters(request.headers[.contentType] ?? "").value == Self.contentType else {
                throw Failure(.unsupportedType, "the body is not \(Self.contentType)", hint: "Set its Content-Type.")
            }
            guard let offset = request.headers[.uploadOffset].flatMap(Self.integer) else {
                throw Failure(
                    .badRequest, "Upload-Offset is not a number", hint: "Give the position of the first byte.")
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

    /// Handles `DELETE /v1/uploads/{id}`: cancels the upload.
    func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await answering(request) {
            try await receiver.cancel(try await receiver.record(context))
            return Response(status: .noContent)
        }
    }

    /// Returns the header fields of `OPTIONS`: the supported features.
    static func options(maxBytes: Int) -> HTTPFields {
        [
            .tusResumable: version, .tusVersion: version, .tusExtension: extensions, .tusMaxSize: "\(maxBytes)",
            .tusChecksumAlgorithm: checksumAlgorithms,
        ]
    }

    // MARK: Responses

    /// Answers in the form of the protocol, errors too.
    private func answering(_ request: Request, _ answer: () async throws -> Response) async throws -> Response {
        do {
            guard request.headers[.tusResumable] == Self.version else {
                throw ErrorResponse(
                    Failure(
                        .protocolVersion, "this version of tus is not supported",
                        hint: "Send Tus-Resumable: \(Self.version)."),
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

    /// - Parameter request: The request with the last byte, whose sender waits for the post; nil for a status request.
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
            headers[.uploadExpires] = HTTPDate.text(of: file.updatedAt + receiver.uploads.lifetime)
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
}

// MARK: - Fields of requests

extension Tus {
    private static func length(in request: Request) throws(Failure) -> Int? {
        guard let text = request.headers[.uploadLength] else { return nil }
        guard let length = integer(text) else {
            throw Failure(.badRequest, "Upload-Length is not a number", hint: "Give the size of the photo in bytes.")
        }
        return length
    }

    private static func checksum(in request: Request) throws(Failure) -> UploadChecksum? {
        guard let text = request.headers[.uploadChecksum] else { return nil }
        guard let checksum = UploadChecksum(text) else {
            throw Failure(
                .badRequest, "Upload-Checksum cannot be read",
                hint: "Send one of \(checksumAlgorithms), a space, and the digest in Base64.")
        }
        return checksum
    }

    /// Whether a request that begins an upload has bytes.
    private static func hasBody(_ request: Request) throws(Failure) -> Bool {
        guard request.bringsBytes else { return false }
        guard HeaderParameters(request.headers[.contentType] ?? "").value == contentType else {
            throw Failure(
                .unsupportedType, "the body is not \(contentType)", hint: "Set Content-Type, or send no body.")
        }
        return true
    }

    /// Parses at most 15 digits, and nothing else.
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
