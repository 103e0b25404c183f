import HTTPTypes

extension HTTPField.Name {
    static let firebaseETag: HTTPField.Name = HTTPField.Name(parsed: "X-Firebase-ETag")
    static let tintypeToken: HTTPField.Name = HTTPField.Name(parsed: "Tintype-Token")
}

extension HTTPFields {
    /// What every answer of the database says: also to pages of other sites.
    static let database: HTTPFields = [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-cache", .accessControlAllowOrigin: "*",
        .accessControlExposeHeaders: "ETag, Tintype-Token",
    ]

    /// What a browser is told that asks whether a page may send a request (Fetch §3.2.2): what it asks for.
    static func preflight(for request: HTTPFields) -> HTTPFields {
        var headers = database
        headers[.contentType] = nil
        headers[.allow] = "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS"
        headers[.accessControlAllowMethods] = headers[.allow]
        headers[.accessControlAllowHeaders] = request[.accessControlRequestHeaders]
        headers[.accessControlMaxAge] = "3600"
        return headers
    }
}
