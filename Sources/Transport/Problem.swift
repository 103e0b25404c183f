package import API
package import HTTPTypes
package import Hummingbird

/// A public description of an error: a problem document (RFC 9457) and its status.
package struct Problem {
    package let status: HTTPResponse.Status
    package let failure: Failure
    private var kind: ProblemDocument.Kind?
    private var headers: HTTPFields = [:]

    /// Creates the problem of a failure; a transient one is reported only as a fault of the service, unless the client
    /// has exceeded a limit.
    package init(_ failure: Failure) {
        if failure.isTransient, failure.code != .tooManyRequests {
            self.init(fault: failure)
        } else {
            self.init(ofClient: failure)
        }
    }

    /// Returns the same problem with its own type and more header fields.
    package func with(type: ProblemDocument.Kind?, headers: HTTPFields) -> Problem {
        var problem = self
        problem.kind = type
        problem.headers = headers
        return problem
    }

    package init(_ failure: Failure, status: HTTPResponse.Status) {
        self.status = status
        self.failure = failure
    }

    /// Creates a problem that the client caused, or the service if it has such a status.
    private init(ofClient failure: Failure) {
        guard let status = failure.code.status else {
            self = .internalError
            return
        }
        self.init(failure, status: status)
    }

    /// Creates a problem of the service itself: the details are only for its log, because messages of the lower layers
    /// name files.
    package init(fault: Failure) {
        if fault.code == .diskFull {
            self.init(
                Failure(.diskFull, "the service's disk is full", hint: "Free some space there, then send it again."),
                status: .insufficientStorage)
        } else if fault.isTransient, fault.code != .internal {
            self.init(
                Failure(
                    .unavailable, "the service cannot do this just now",
                    hint: "Try again in a few seconds. If it lasts, look into its log."),
                status: .serviceUnavailable)
        } else {
            self = .internalError
        }
    }

    /// The value of `Retry-After`, in seconds.
    package static let retryAfter = "5"

    private static let internalError = Problem(
        Failure(
            .internal, "something went wrong inside the service",
            hint: "Look for this answer's trace in its log, which has the details."),
        status: .internalServerError)

    package static let contentType = "application/problem+json"

    /// Returns the document; `trace` finds the request in the log.
    package func document(trace: String) -> ProblemDocument {
        ProblemDocument(
            status: status.code, title: status.reasonPhrase, failure: failure, trace: trace, kind: kind)
    }

    /// Returns the document as a response.
    package func response(trace: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        for field in self.headers { headers[field.name] = field.value }
        if let seconds = failure.retryAfter {
            headers[.retryAfter] = "\(seconds)"
        } else if status == .serviceUnavailable || status == .insufficientStorage {
            headers[.retryAfter] = Self.retryAfter
        }
        var response = Response.json(document(trace: trace), status: status, headers: headers)
        response.headers[.contentType] = Self.contentType
        return response
    }
}

extension HTTPResponse.Status {
    /// The status of a full disk (RFC 4918 §11.5).
    package static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
