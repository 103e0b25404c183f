import Files
import HTTPTypes
import Hummingbird
import NIOCore
import Pipeline
import Tree

/// What the public learns of an error: a problem document (RFC 9457) and its status.
struct Problem {
    let status: HTTPResponse.Status
    let code: String
    let detail: String
    let hint: String

    /// The one table from codes to statuses. Only what stands here is told in its own words.
    private static let statuses: [String: HTTPResponse.Status] = [
        "bad_request": .badRequest, "bad_multipart": .badRequest, "bad_user": .badRequest, "bad_text": .badRequest,
        "bad_time": .badRequest, "bad_reference": .badRequest, "empty": .badRequest, "empty_post": .badRequest,
        "malformed_request": .badRequest, "head_too_large": .requestHeaderFieldsTooLarge,
        "coding_not_supported": .notImplemented, "version_not_supported": .httpVersionNotSupported,
        "too_slow": .requestTimeout,
        "foreign_host": .forbidden, "cross_site": .forbidden, "local_only": .forbidden,
        "not_found": .notFound, "unknown_user": .notFound,
        "method_not_allowed": .methodNotAllowed,
        "resnapshot": .gone, "deleted": .gone,
        "wrong_state": .conflict, "job_running": .conflict,
        "duplicate": .conflict, "bad_configuration": .unprocessableContent,
        "shutting_down": .serviceUnavailable,
        "too_large_bytes": .contentTooLarge,
        "permission_denied": .unauthorized, "bad_token": .unauthorized,
        "invalid_path": .badRequest, "invalid_namespace": .notFound, "bad_query": .badRequest,
        "no_data": .badRequest, "write_too_large": .badRequest, "condition_not_supported": .badRequest,
        "timed_out": .badRequest, "too_many_writes": .serviceUnavailable,
        "too_many_reads": .serviceUnavailable,
        "unsupported_format": .unsupportedMediaType, "unsupported_type": .unsupportedMediaType,
        "range_not_satisfiable": .rangeNotSatisfiable,
        "key_reused": .unprocessableContent,
        "too_many_photos": .unprocessableContent, "too_many_pixels": .unprocessableContent,
        "side_too_long": .unprocessableContent, "too_many_frames": .unprocessableContent,
        "too_many_scans": .unprocessableContent, "too_much_memory": .unprocessableContent,
        "truncated": .unprocessableContent, "corrupt": .unprocessableContent,
        "decoder_crashed": .unprocessableContent, "decoder_timed_out": .unprocessableContent,
    ]

    static var codes: [String] { Array(statuses.keys) }

    init(_ error: any Error) {
        switch error {
        case let error as ServerError:
            self.init(code: error.code.rawValue, detail: error.message, hint: error.hint)
        case let error as PipelineError where !error.isTransient:
            self.init(code: error.code.rawValue, detail: error.message, hint: error.hint)
        case let pause as IntakePause:
            self.init(
                status: pause.code == FileError.Code.diskFull.rawValue ? Self.diskFull : .serviceUnavailable,
                code: pause.code == FileError.Code.diskFull.rawValue ? pause.code : "intake_paused",
                detail: "no uploads are taken just now: \(pause.message) (\(pause.code))",
                hint: "send it again later; /readyz tells when")
        case let error as HTTPError:
            self.init(
                status: error.status, code: error.status == .notFound ? "not_found" : "bad_request",
                detail: error.body ?? "there is nothing here", hint: "the addresses begin with /v1/ and /media/")
        case let error as NIOTooManyBytesError:
            self.init(
                code: ServerError.Code.tooLarge.rawValue,
                detail: "the body has more than \(error.maxBytes.map(String.init) ?? "the permitted number of") bytes",
                hint: "send a shorter text")
        case let error as TreeError where error.isDamage:
            self.init(
                status: .serviceUnavailable, code: "damaged", detail: "the service's database is damaged",
                hint: "whoever runs the service has to look: /readyz and its log say what was found")
        default:
            self.init(fault: PipelineError(error))
        }
    }

    private init(status: HTTPResponse.Status, code: String, detail: String, hint: String) {
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    private init(code: String, detail: String, hint: String) {
        guard let status = Self.statuses[code] else {
            self = .internalError
            return
        }
        self.init(status: status, code: code, detail: detail, hint: hint)
    }

    /// The service's own trouble: what exactly is for its log. Messages of the lower layers name files.
    private init(fault: PipelineError) {
        if fault.code.rawValue == FileError.Code.diskFull.rawValue {
            self.init(
                status: Self.diskFull, code: fault.code.rawValue, detail: "the service's disk is full",
                hint: "free some space there, then send it again")
        } else if fault.isTransient, fault.code.rawValue != "internal" {
            self.init(
                status: .serviceUnavailable, code: "unavailable", detail: "the service cannot do this just now",
                hint: "try again in a few seconds; if it lasts, its log says why")
        } else {
            self = .internalError
        }
    }

    private static let diskFull = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    /// Seconds.
    static let retryAfter = "5"

    private static let internalError = Problem(
        status: .internalServerError, code: "internal", detail: "something went wrong inside the service",
        hint: "its log has the details under this answer's trace")

    static let contentType = "application/problem+json"

    /// The document; `trace` finds the request in the log.
    func document(trace: String) -> [UInt8] {
        let document: TreeValue = [
            "type": "about:blank", "title": .string(status.reasonPhrase), "status": .integer(Int64(status.code)),
            "detail": .string(detail), "code": .string(code), "hint": .string(hint), "trace": .string(trace),
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

/// The codes that ``Problem`` documents bear, for the check of the documents.
package enum ErrorCodes {
    package static var all: [String] { Problem.codes }
}
