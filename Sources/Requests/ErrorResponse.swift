package import API
package import HTTPTypes

/// An error whose response has additional header fields, or its own problem type.
package struct ErrorResponse: Error {
    package let error: any Error
    var headers: HTTPFields = [:]
    var type: ProblemDocument.Kind?

    /// Creates an error with more header fields; existing fields stay.
    package init(_ error: any Error, headers: HTTPFields = [:], type: ProblemDocument.Kind? = nil) {
        let known = error as? ErrorResponse
        self.error = known?.error ?? error
        self.headers = headers
        for field in known?.headers ?? [:] { self.headers[field.name] = field.value }
        self.type = known?.type ?? type
    }
}
