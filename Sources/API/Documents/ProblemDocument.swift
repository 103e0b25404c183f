/// What is answered in place of what was asked for: problem details (RFC 9457).
package struct ProblemDocument: Document {
    package let type: String
    package let title: String
    /// The status of the answer.
    package let status: Int
    package let code: ErrorCode
    package let detail: String
    package let hint: String
    /// By which the request is found in the service's log.
    package let trace: String

    package init(status: Int, title: String, failure: Failure, trace: String) {
        type = "about:blank"
        self.title = title
        self.status = status
        code = failure.code
        detail = failure.message
        hint = failure.hint
        self.trace = trace
    }
}
