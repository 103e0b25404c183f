package import HTTPTypes

/// An interim response, sent to the client before the response to the current request.
package struct InterimResponse: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields

    package init(status: HTTPResponse.Status, headers: HTTPFields) {
        self.status = status
        self.headers = headers
    }
}

/// Signals that a handler begins to read the body of the current request.
package struct BodyWanted {
    package init() {}
}
