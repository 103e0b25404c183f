import API
import Files
import HTTPTypes
import Hummingbird
import NIOCore
import Store
import Tree
import Uploads

/// What the public learns of an error: a problem document (RFC 9457) and its status.
struct Problem {
    let status: HTTPResponse.Status
    let failure: Failure
    private var kind: ProblemDocument.Kind?
    private var headers: HTTPFields = [:]

    init(_ error: any Error) {
        switch error {
        case let annotated as AnnotatedError:
            self.init(annotated.error)
            kind = annotated.type
            headers = annotated.headers
        case let error as Failure where !error.isTransient:
            self.init(error)
        case let pause as IntakePause:
            self.init(
                Failure(
                    pause.code == .diskFull ? .diskFull : .intakePaused,
                    "no uploads are taken just now: \(pause.message) (\(pause.code.rawValue))",
                    hint: "send it again later; /readyz tells when"),
                status: pause.code == .diskFull ? Self.diskFull : .serviceUnavailable)
        case let error as HTTPError:
            self.init(
                Failure(
                    error.status == .notFound ? .notFound : .badRequest, error.body ?? "there is nothing here",
                    hint: "the addresses begin with /v1/ and /media/"),
                status: error.status)
        case let error as NIOTooManyBytesError:
            self.init(
                Failure(
                    .tooLarge,
                    "the body has more than \(error.maxBytes.map(String.init) ?? "the permitted number of") bytes",
                    hint: "send a shorter text"))
        case let error as TreeError where error.code == .permissionDenied:
            self.init(.permissionDenied())
        case let error as TreeError where error.isDamage:
            self.init(
                Failure(
                    .damaged, "the service's database is damaged",
                    hint: "whoever runs the service has to look: /readyz and its log say what was found"),
                status: .serviceUnavailable)
        case let error as TreeError where error.code == .unreadableRules:
            self.init(
                Failure(
                    .rulesUnreadable, "the rules of the service's database cannot be read",
                    hint: "whoever runs the service has to store them again: tintype rules set FILE"),
                status: .serviceUnavailable)
        default:
            self.init(fault: Failure(error))
        }
    }

    private init(_ failure: Failure, status: HTTPResponse.Status) {
        self.status = status
        self.failure = failure
    }

    private init(_ failure: Failure) {
        guard let status = failure.code.status else {
            self = .internalError
            return
        }
        self.init(failure, status: status)
    }

    /// The service's own trouble: what exactly is for its log. Messages of the lower layers name files.
    private init(fault: Failure) {
        if fault.code == .diskFull {
            self.init(
                Failure(.diskFull, "the service's disk is full", hint: "free some space there, then send it again"),
                status: Self.diskFull)
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

    private static let diskFull = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    /// Seconds.
    static let retryAfter = "5"

    private static let internalError = Problem(
        Failure(
            .internal, "something went wrong inside the service",
            hint: "its log has the details under this answer's trace"),
        status: .internalServerError)

    static let contentType = "application/problem+json"

    /// The document; `trace` finds the request in the log.
    func document(trace: String) -> ProblemDocument {
        ProblemDocument(
            status: status.code, title: status.reasonPhrase, failure: failure, trace: trace, kind: kind)
    }

    /// The document as an answer.
    func response(trace: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        for field in self.headers { headers[field.name] = field.value }
        if let seconds = failure.retryAfter {
            headers[.retryAfter] = "\(seconds)"
        } else if status == .serviceUnavailable || status == Self.diskFull {
            headers[.retryAfter] = Self.retryAfter
        }
        var response = Response.json(document(trace: trace), status: status, headers: headers)
        response.headers[.contentType] = Self.contentType
        return response
    }
}
