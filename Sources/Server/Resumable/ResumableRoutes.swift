import API
import HTTPTypes
import Hummingbird
import Imaging
package import Requests
import Transport
import TreeModel
package import Uploads

/// `/v1/uploads` for photos that are sent in several requests: by tus, or by "Resumable Uploads for HTTP". Requests of
/// neither protocol are handled by ``UploadRoutes`` and ``DraftRoutes``.
package struct ResumableRoutes: Sendable {
    private let uploads: UploadRoutes
    private let drafts: DraftRoutes
    private let tus: Tus
    private let draft: IETFResumableUpload
    private let maxBytes: @Sendable () -> Int

    package init(
        _ uploads: UploadRoutes, _ drafts: DraftRoutes, _ receiver: ResumableReceiver, _ response: UploadResponse,
        settings: SharedSettings, publicURL: PublicURL?
    ) {
        (self.uploads, self.drafts) = (uploads, drafts)
        maxBytes = { settings.value.limits.maxInputBytes }
        tus = Tus(receiver: receiver, response: response)
        draft = IETFResumableUpload(receiver: receiver, response: response, publicURL: publicURL, maxBytes: maxBytes)
    }

    package func add(to routes: inout RouteTable) {
        let creation = extended(uploads.creation, Self.creation, create)
        // PUT, too: "curl -T" uses it.
        routes.add(
            "/v1/uploads",
            [
                .post: creation, .put: creation.named("putUpload"),
                .options: options(
                    "listUploadProtocols", creation.parameters.filter { $0.location == .query }, allow: "POST, PUT"),
            ])
        let addition = extended(drafts.addition, Self.creation + [UploadRoutes.idempotencyKey], addPhoto)
        routes.add("/v1/uploads/{id}/photos", [.post: addition, .put: addition.named("putPhotos")])
        routes.add("/v1/uploads/{id}/publish", [.post: drafts.publication])
        let onward = Endpoint(
            "appendUpload", in: .uploads, "Add bytes to an upload in several requests", access: .person, Self.onward,
            body: Self.pieces,
            needsBody: false,
            answers: [
                .empty(.noContent).with(headers: "Upload-Offset"), .empty(.created).with(headers: "Upload-Offset"),
                .json(PublishedDocument.self, .created).with(headers: "Location"), .json(PublishedDocument.self),
                .json(UploadDocument.self, .accepted).with(headers: "Location"),
            ],
            errors: UploadForm.errors + Self.errors, run: patch)
        let end = Endpoint(
            "cancelUpload", in: .uploads, "End an upload in several requests before it is complete", access: .person,
            [.path("id", .postID)],
            answers: [.empty(.noContent)], errors: [.notFound, .uploadExpired, .wrongState, .protocolVersion],
            run: delete)
        let overridden = Endpoint(
            "overrideUpload", in: .uploads, "Act as another method, for clients that cannot send PATCH",
            details: "The header `X-HTTP-Method-Override` names the method.", access: .person,
            Self.onward + [.header("X-HTTP-Method-Override", .text, "`PATCH`, `DELETE` or `HEAD`")],
            body: Self.pieces, needsBody: false, answers: onward.answers, errors: onward.errors + [.methodNotAllowed],
            run: overridden)
        let standing = Endpoint(
            "getUploadOffset", in: .uploads, "Get the offset of an upload in several requests", access: .person,
            [.path("id", .postID)],
            answers: [.empty(.ok), .empty(.noContent)], errors: [.notFound, .uploadExpired, .protocolVersion],
            run: head)
        routes.add(
            "/v1/uploads/{id}",
            [
                .get: uploads.status, .head: standing, .patch: onward, .delete: end, .post: overridden,
                .options: options("listProtocolsOfUpload", [.path("id", .postID)], allow: Self.methods),
            ])
    }

    /// The methods for an upload.
    private static let methods = "DELETE, GET, HEAD, PATCH, POST"

    private func extended(_ operation: Endpoint, _ parameters: [Parameter], _ run: @escaping Handler) -> Endpoint {
        operation.extended(
            parameters, answers: [.empty(.created).with(headers: "Location")], errors: Self.errors, run: run)
    }

    // MARK: Choice of the protocol

    @Sendable private func create(_ request: Request, _ context: HTTPContext) async throws -> Response {
        if Tus.isSpoken(in: request) { return try await tus.create(request, context) }
        guard IETFResumableUpload.completeness(of: request) != nil else {
            return try await uploads.creation.run(request, context)
        }
        return try await draft.create(request, context, whole: uploads.creation.run)
    }

    @Sendable private func addPhoto(_ request: Request, _ context: HTTPContext) async throws -> Response {
        if Tus.isSpoken(in: request) {
            return try await tus.create(request, context, of: try await drafts.record(context))
        }
        // A photo with a key is added once, also when it is sent in one request.
        let hasKey = request.headers[.idempotencyKey] != nil && !request.headers.isMultipart
        guard hasKey || IETFResumableUpload.completeness(of: request) != nil else {
            return try await drafts.addition.run(request, context)
        }
        return try await draft.create(request, context, of: try await drafts.record(context))
    }

    @Sendable private func patch(_ request: Request, _ context: HTTPContext) async throws -> Response {
        Tus.isSpoken(in: request)
            ? try await tus.patch(request, context) : try await draft.patch(request, context)
    }

    @Sendable private func delete(_ request: Request, _ context: HTTPContext) async throws -> Response {
        Tus.isSpoken(in: request)
            ? try await tus.delete(request, context) : try await draft.delete(request, context)
    }

    /// Answers for uploads in one request, and for clients of neither protocol, as `GET` would.
    @Sendable private func head(_ request: Request, _ context: HTTPContext) async throws -> Response {
        if Tus.isSpoken(in: request) { return try await tus.head(request, context) }
        let status = try await uploads.status.run(request, context)
        guard InteropVersion(request).number != nil || status.headers[.uploadOffset] != nil else {
            return status.createHeadResponse()
        }
        return try await draft.head(request, context)
    }

    @Sendable private func overridden(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let method = request.headers[.methodOverride]?.uppercased()
        switch method {
        case "PATCH": return try await patch(request, context)
        case "DELETE": return try await delete(request, context)
        case "HEAD": return try await head(request, context)
        default:
            throw ErrorResponse(
                Failure(
                    .methodNotAllowed, "POST is not possible here",
                    hint: "Set X-HTTP-Method-Override to PATCH, DELETE or HEAD."),
                headers: [.allow: Self.methods])
        }
    }

    /// Returns the description of the protocols; a browser's preflight request receives only the methods.
    private func options(_ name: String, _ parameters: [Parameter], allow: String) -> Endpoint {
        Endpoint(
            name, in: .uploads, "List the supported protocols of uploads in several requests", parameters,
            answers: [.empty(.noContent).with(headers: "Allow")], errors: [.methodNotAllowed]
        ) { [draft, maxBytes] request, _ in
            guard !request.head.isPreflight else {
                throw ErrorResponse(
                    Failure(
                        .methodNotAllowed, "OPTIONS is not possible here", hint: "Use an allowed method: \(allow)."),
                    headers: [.allow: allow])
            }
            var headers = Tus.options(maxBytes: maxBytes())
            headers[.allow] = allow
            headers[.acceptPatch] = "\(IETFResumableUpload.contentType), \(Tus.contentType)"
            headers[.uploadLimit] = draft.limit()
            return Response(status: .noContent, headers: headers)
        }
    }
}

// MARK: - Description

extension ResumableRoutes {
    private static let fields: [Parameter] = [
        .header("Tus-Resumable", .text, "`1.0.0` for tus"),
        .header("Upload-Complete", .text, "`?1` for the last bytes, or `?0`, by Resumable Uploads for HTTP"),
        .header("Upload-Length", .text, "the size of the photo in bytes"),
    ]
    private static let creation =
        fields + [
            .header("Upload-Metadata", .text, "for tus: the metadata of the file and the post")
        ]
    private static let onward =
        [.path("id", .postID)] + fields + [
            .header("Upload-Offset", .text, "the position of the first byte"),
            .header("Upload-Checksum", .text, "for tus: the checksum of the bytes"),
        ]
    private static let pieces: [String: Schema] = [Tus.contentType: .binary, IETFResumableUpload.contentType: .binary]
    /// The errors of uploads in several requests, in addition to those of any upload.
    static let errors: [ErrorCode] = [
        .notFound, .uploadExpired, .bytesLost, .wrongOffset, .takenOver, .lengthChanged, .tooManyBytes,
        .tooManyUploads, .checksumMismatch, .protocolVersion,
    ]
}
