import API
import Requests
import Uploads

/// What the sender of an upload in several requests says of the post: in the query, or in fields of the protocol.
enum ResumableForm {
    /// What to reserve.
    ///
    /// - Throws: As ``UploadForm/request()``; `Failure` `bad_request` for a draft, which has an address of its own for photos.
    static func request(_ form: UploadForm) throws -> UploadRequest {
        var request = try form.request()
        guard !request.isDraft else {
            throw Failure(
                .badRequest, "a draft is reserved in one request",
                hint: "reserve it with draft=true first, then begin each at POST /v1/uploads/{id}/photos")
        }
        request.mentions = try UploadForm.mentions(in: form.fields) ?? []
        return request
    }
}

extension UploadForm {
    /// Takes in what tus says of the post; names that say nothing of it are let pass, for clients add their own.
    ///
    /// - Throws: `Failure` `bad_request` when the query has said something else, or a value cannot be read: what is meant for some
    ///   must not be for everybody.
    mutating func take(_ metadata: UploadMetadata) throws(Failure) {
        for name in ["user", "text", "mentions", "audiences", "alt", "duplicates"] {
            guard !metadata.unreadable.contains(name) else {
                throw Failure(
                    .badRequest, "\(name) in Upload-Metadata cannot be read", hint: "it is UTF-8 in Base64, given once")
            }
            if let text = metadata.texts[name] { try fields.set(name, text) }
        }
    }
}
