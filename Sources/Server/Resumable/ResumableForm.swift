import API
import Requests
import Uploads

/// Parses the description of the post in an upload in several requests: from the query, or from fields of the protocol.
enum ResumableForm {
    /// Returns the reservation that the form requests.
    ///
    /// - Throws: See ``UploadForm/request()``; `Failure` `bad_request` for a draft, which has its own address for
    ///   photos.
    static func request(_ form: UploadForm) throws -> UploadRequest {
        var request = try form.request()
        guard !request.isDraft else {
            throw Failure(
                .badRequest, "a draft is reserved in one request",
                hint: "Reserve it with draft=true first, then begin each at POST /v1/uploads/{id}/photos.")
        }
        request.mentions = try UploadForm.mentions(in: form.fields) ?? []
        return request
    }
}

extension UploadForm {
    /// Adds the metadata of tus that describe the post; other names are ignored, because clients add their own.
    ///
    /// - Throws: `Failure` `bad_request` if the query contradicts them, or a value cannot be read: a post for audiences
    ///   must not become public.
    mutating func take(_ metadata: UploadMetadata) throws(Failure) {
        for name in ["user", "text", "mentions", "audiences", "client_timestamp", "alt", "duplicates"] {
            guard !metadata.unreadable.contains(name) else {
                throw Failure(
                    .badRequest, "\(name) in Upload-Metadata cannot be read", hint: "Send it once, as UTF-8 in Base64.")
            }
            if let text = metadata.texts[name] { try fields.set(name, text) }
        }
    }
}
