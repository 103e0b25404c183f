package import HTTPTypes

/// Says something to the client before the answer to the request in work.
package struct InterimResponse: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields

    package init(status: HTTPResponse.Status, headers: HTTPFields) {
        self.status = status
        self.headers = headers
    }
}

/// Says that somebody begins to read the body of the request in work.
package struct BodyWanted {
    package init() {}
}
