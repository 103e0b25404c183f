import HTTPTypes
import Transport

extension HTTPField.Name {
    static let firebaseETag: HTTPField.Name = HTTPField.Name(parsed: "X-Firebase-ETag")
    static let resourcePolicy: HTTPField.Name = HTTPField.Name(parsed: "Cross-Origin-Resource-Policy")
}

extension HTTPFields {
    /// The header fields of every response of the database; ``ClientCORS`` adds the permitted origins. Pages of other
    /// origins may not load it as an image or a script (Fetch §3.7).
    static let database: HTTPFields = [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-cache", .resourcePolicy: "same-origin",
    ]
}
