import API
import Files
import HTTPTypes
import Hummingbird
import NIOCore
import Pipeline
import Tree

/// What the public learns of an error: a problem document (RFC 9457) and its status.
struct Problem {
    let status: HTTPResponse.Status
    let code: ErrorCode
    let detail: String
    let hint: String

    init(_ error: any Error) {
        switch error {
        case let error as Failure where !error.isTransient:
            self.init(error.code, detail: error.message, hint: error.hint)
        case let pause as IntakePause:
            self.init(
                status: pause.code == .diskFull ? Self.diskFull : .serviceUnavailable,
                code: pause.code == .diskFull ? .diskFull : .intakePaused,
                detail: "no uploads are taken just now: \(pause.message) (\(pause.code.rawValue))",
                hint: "send it again later; /readyz tells when")
        case let error as HTTPError:
            self.init(
                status: error.status, code: error.status == .notFound ? .notFound : .badRequest,
                detail: error.body ?? "there is nothing here", hint: "the addresses begin with /v1/ and /media/")
        case let error as NIOTooManyBytesError:
            self.init(
                .tooLarge,
                detail: "the body has more than \(error.maxBytes.map(String.init) ?? "the permitted number of") bytes",
                hint: "send a shorter text")
        case let error as TreeError where error.isDamage:
            self.init(
                status: .serviceUnavailable, code: .damaged, detail: "the service's database is damaged",
                hint: "whoever runs the service has to look: /readyz and its log say what was found")
        default:
            self.init(fault: Failure(error))
        }
    }

    private init(status: HTTPResponse.Status, code: ErrorCode, detail: String, hint: String) {
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    private init(_ code: ErrorCode, detail: String, hint: String) {
        guard let status = code.status else {
            self = .internalError
            return
        }
        self.init(status: status, code: code, detail: detail, hint: hint)
    }

    /// The service's own trouble: what exactly is for its log. Messages of the lower layers name files.
    private init(fault: Failure) {
        if fault.code == .diskFull {
            self.init(
                status: Self.diskFull, code: .diskFull, detail: "the service's disk is full",
                hint: "free some space there, then send it again")
        } else if fault.isTransient, fault.code != .internal {
            self.init(
                status: .serviceUnavailable, code: .unavailable, detail: "the service cannot do this just now",
                hint: "try again in a few seconds; if it lasts, its log says why")
        } else {
            self = .internalError
        }
    }

    private static let diskFull = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    /// Seconds.
    static let retryAfter = "5"

    private static let internalError = Problem(
        status: .internalServerError, code: .internal, detail: "something went wrong inside the service",
        hint: "its log has the details under this answer's trace")

    static let contentType = "application/problem+json"

    /// The document; `trace` finds the request in the log.
    func document(trace: String) -> [UInt8] {
        let document: TreeValue = [
            "type": "about:blank", "title": .string(status.reasonPhrase), "status": .integer(Int64(status.code)),
            "detail": .string(detail), "code": .string(code.rawValue), "hint": .string(hint), "trace": .string(trace),
        ]
        return document.json()
    }

    /// The document as an answer.
    func response(trace: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = Self.contentType
        if status == .serviceUnavailable || status == Self.diskFull { headers[.retryAfter] = Self.retryAfter }
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: document(trace: trace))))
    }
}
