import API
import Pipeline

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
    /// Takes in what is said in fields of another form; those that say nothing of a post are let pass, for clients add their own.
    ///
    /// - Throws: `Failure` `bad_request` when the query has said something else.
    mutating func take(_ texts: [String: String]) throws(Failure) {
        for name in ["user", "text", "mentions", "audiences", "alt", "duplicates"] {
            if let text = texts[name] { try fields.set(name, text) }
        }
    }
}
