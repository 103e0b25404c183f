package import API
package import HTTPTypes
package import Hummingbird

/// A public description of an error: a problem document (RFC 9457) and its status.
package struct Problem {
    package let status: HTTPResponse.Status
    package let failure: Failure
    private var kind: ProblemDocument.Kind?
    private var headers: HTTPFields = [:]

    /// The problem of a failure; of a transient one only that it is the service's own.
    package init(_ failure: Failure) {
        if failure.isTransient {
            self.init(fault: failure)
        } else {
            self.init(ofClient: failure)
        }
    }

    /// The same problem with a type of its own and more header fields.
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

    /// A problem of the client's, or, if its status says so, of the service.
    private init(ofClient failure: Failure) {
        guard let status = failure.code.status else {
            self = .internalError
            return
        }
        self.init(failure, status: status)
    }

    /// The service's own trouble: what exactly is for its log. Messages of the lower layers name files.
    package init(fault: Failure) {
        if fault.code == .diskFull {
            self.init(
                Failure(.diskFull, "the service's disk is full", hint: "free some space there, then send it again"),
                status: .insufficientStorage)
        } else if fault.isTransient, fault.code != .internal {
            self.init(
                Failure(
                    .unavailable, "the service cannot do this just now",
                    hint: "try again in a few seconds; if it lasts, its log says why"),
                status: .serviceUnavailable)
        } else {
            self = .internalError
        }
    }

    /// Seconds.
    package static let retryAfter = "5"

    private static let internalError = Problem(
        Failure(
            .internal, "something went wrong inside the service",
            hint: "its log has the details under this answer's trace"),
        status: .internalServerError)

    package static let contentType = "application/problem+json"

    /// The document; `trace` finds the request in the log.
    package func document(trace: String) -> ProblemDocument {
        ProblemDocument(
            status: status.code, title: status.reasonPhrase, failure: failure, trace: trace, kind: kind)
    }

    /// The document as an answer.
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
