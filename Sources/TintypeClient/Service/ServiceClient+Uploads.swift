public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Uploads: posts of a text in one request, and drafts whose photos are sent piece by piece (tus 1.0.0).
extension ServiceClient {
    /// Publishes a post of a text alone.
    ///
    /// - Parameters:
    ///   - post: The text, the audiences and the time of the post.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters; the same request again gives the same post.
    public func publish(_ post: NewPost, idempotencyKey: String? = nil) async throws -> Answer<UploadOutcome> {
        try await answer(to: try Self.upload(post, isDraft: false, idempotencyKey))
    }

    /// Begins a draft, to which photos are added before it is published.
    ///
    /// - Parameters:
    ///   - post: The text, the audiences and the time of the post.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters; the same request again gives the same draft.
    public func beginDraft(_ post: NewPost, idempotencyKey: String? = nil) async throws -> Answer<Upload> {
        try await answer(to: try Self.upload(post, isDraft: true, idempotencyKey))
    }

    /// Returns the state of an upload.
    public func upload(_ id: Upload.ID) async throws -> Answer<Upload> {
        try await answer(to: ServiceRequest("GET", ["v1", "uploads", id.rawValue]))
    }

    /// Begins a photo of a draft, and returns the id of the photo's own upload.
    ///
    /// - Parameters:
    ///   - draft: The id of the draft. Its photos are in the order in which they are begun.
    ///   - byteCount: The size of the file.
    ///   - name: The name of the file.
    ///   - alternativeText: The description for people who cannot see the photo; nil for none.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters; the same request again gives the same upload.
    public func beginPhoto(
        of draft: Upload.ID, byteCount: Int64, name: String, alternativeText: String? = nil,
        idempotencyKey: String? = nil
    ) async throws -> Answer<Upload.ID> {
        var request = Self.tus("POST", ["v1", "uploads", draft.rawValue, "photos"])
        request.headers["Upload-Length"] = String(byteCount)
        var metadata = "filename " + Data(name.utf8).base64EncodedString()
        if let text = alternativeText { metadata += ",alt " + Data(text.utf8).base64EncodedString() }
        request.headers["Upload-Metadata"] = metadata
        request.headers["Idempotency-Key"] = idempotencyKey
        let response = try await response(to: request)
        guard let id = response.headers["Location"]?.split(separator: "/").last, !id.isEmpty else {
            throw TransportError(.malformed, "the answer has no address of the upload")
        }
        return Answer(Upload.ID(String(id)), changeNumber: response.changeNumber)
    }

    /// Returns how many bytes of an upload the service has. A request that is sending some ends.
    ///
    /// - Throws: `Problem` with the code `notFound`, or `uploadExpired` if the upload must begin again.
    public func offset(of upload: Upload.ID) async throws -> Answer<UploadOffset> {
        do {
            return try UploadOffset.answer(
                try await response(to: Self.tus("HEAD", ["v1", "uploads", upload.rawValue])))
        } catch var problem as Problem where problem.code == .unknown {
            // The answer to a HEAD has no body, and therefore no code.
            if problem.status == 404 { problem.code = .notFound }
            if problem.status == 410 { problem.code = .uploadExpired }
            if [413, 415, 422].contains(problem.status), let failure = try await self.upload(upload).value.failure {
                problem = Problem(
                    failure.code, status: problem.status, message: failure.message, hint: failure.hint)
            }
            throw problem
        }
    }

    /// Returns the request that sends a photo of a draft at once, with the present token: for a `BackgroundUploader`.
    ///
    /// The answer has the status 201. If the request is cut, the upload is continued at `offset(of:)`.
    ///
    /// - Parameters:
    ///   - file: The whole file.
    ///   - byteCount: Its size.
    ///   - draft: The id of the draft.
    ///   - name: The name of the file. It is that of `beginPhoto(of:byteCount:name:alternativeText:idempotencyKey:)`, if the
    ///     photo was begun before, and so are the text and the key.
    ///   - alternativeText: The description for people who cannot see the photo; nil for none.
    ///   - idempotencyKey: A key of 1 to 200 printable ASCII characters.
    public func photoRequest(
        _ file: URL, byteCount: Int64, of draft: Upload.ID, name: String, alternativeText: String? = nil,
        idempotencyKey: String
    ) async throws -> TransportRequest {
        var request = ServiceRequest(
            "POST", ["v1", "uploads", draft.rawValue, "photos"], idempotencyKey: idempotencyKey)
        request.setQuery("name", name)
        request.setQuery("alt", alternativeText)
        request.headers["Content-Type"] = "application/octet-stream"
        request.body = .file(file, offset: 0, count: byteCount)
        return try await signedMessage(for: request)
    }

    /// Sends bytes of an upload. The request with the last byte of a draft's photo ends when the photo is rendered.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, a part of a file or in memory.
    ///   - offset: The position of the first one: the number of bytes that the service has.
    ///   - upload: The id of the photo's upload.
    ///   - progress: Called with the number of bytes that have been sent so far, on any thread.
    /// - Throws: `Problem` with the code `wrongOffset` if the service has another number of bytes.
    public func send(
        _ bytes: TransportRequest.Body, at offset: Int64, to upload: Upload.ID,
        progress: (@Sendable (_ sentCount: Int64) -> Void)? = nil
    ) async throws -> Answer<UploadOffset> {
        var request = Self.tus("PATCH", ["v1", "uploads", upload.rawValue])
        request.headers["Upload-Offset"] = String(offset)
        request.headers["Content-Type"] = "application/offset+octet-stream"
        request.body = bytes
        return try UploadOffset.answer(try await response(to: request, progress: progress))
    }

    /// Ends an upload in several requests; its bytes are deleted.
    public func cancelUpload(_ upload: Upload.ID) async throws -> Answer<Void> {
        try await confirmation(of: Self.tus("DELETE", ["v1", "uploads", upload.rawValue]))
    }

    /// Publishes a draft. The same request again gives the same post.
    ///
    /// - Parameters:
    ///   - draft: The id of the draft.
    ///   - publication: The text and the photos of the post.
    ///   - waits: Whether the answer comes after the publication, unless that takes too long.
    public func publish(
        draft: Upload.ID, _ publication: DraftPublication = DraftPublication(), waits: Bool = true
    ) async throws -> Answer<UploadOutcome> {
        var request = ServiceRequest("POST", ["v1", "uploads", draft.rawValue, "publish"])
        try request.setBody(.object(try publication.fields().compactMapValues(\.self)))
        if !waits { request.headers["Prefer"] = "respond-async" }
        return try await answer(to: request)
    }

    private static func tus(_ method: String, _ path: [String]) -> ServiceRequest {
        var request = ServiceRequest(method, path)
        request.headers["Tus-Resumable"] = "1.0.0"
        return request
    }

    private static func upload(_ post: NewPost, isDraft: Bool, _ idempotencyKey: String?) throws -> ServiceRequest {
        var request = ServiceRequest("POST", ["v1", "uploads"])
        let form = MultipartForm(try post.fields() + (isDraft ? [("draft", "true")] : []))
        request.body = .data(form.body)
        request.headers["Content-Type"] = form.contentType
        request.headers["Idempotency-Key"] = idempotencyKey
        return request
    }
}
