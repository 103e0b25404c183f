package import API
package import HTTPTypes

/// An error whose answer says more than its problem does: in header fields, or with a type of its own.
package struct ErrorResponse: Error {
    package let error: any Error
    var headers: HTTPFields = [:]
    var type: ProblemDocument.Kind?

    /// An error with more header fields; those that it has already stay.
    package init(_ error: any Error, headers: HTTPFields = [:], type: ProblemDocument.Kind? = nil) {
        let known = error as? ErrorResponse
        self.error = known?.error ?? error
        self.headers = headers
        for field in known?.headers ?? [:] { self.headers[field.name] = field.value }
        self.type = known?.type ?? type
    }
}
