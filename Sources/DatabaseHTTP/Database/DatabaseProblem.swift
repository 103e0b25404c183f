import API
import HTTPTypes
package import Hummingbird
import NIOCore
import Requests
import Transport
import Tree

/// The error that a client of the database receives: `{"error": "…"}` and a status.
///
/// The protocol's own sentence comes first, word for word, because clients compare it; further details follow.
package struct DatabaseProblem {
    let status: HTTPResponse.Status
    let text: String
    /// The seconds after which to try again; nil where a retry is useless.
    private(set) var retryAfter: Int?

    private static let invalidData = """
        Invalid data; couldn't parse JSON object, array, or value. Perhaps you're using invalid characters in your key \
        names.
        """
    private static let tooLarge = "Data to write exceeds the maximum size that can be modified with a single request."

    package init(_ error: any Error) {
        switch error {
        case let error as Failure:
            self.init(Problem(error).status, error.message, hint: error.hint)
            if let seconds = error.retryAfter { retryAfter = seconds }
        case let error as TreeError:
            self.init(error)
        default:
            self.init(Problem(error))
        }
    }

    private init(_ error: TreeError) {
        switch error.code {
        case .invalidJSON, .invalidKey: self.init(.badRequest, Self.invalidData, detail: error.message)
        case .tooLarge: self.init(.badRequest, Self.tooLarge, detail: error.message)
        case .invalidValue, .invalidQuery, .indexNotDefined, .invalidRules: self.init(.badRequest, error.message)
        case .permissionDenied: self.init(.unauthorized, "Permission denied")
        case .conflictingPaths:
            self.init(.badRequest, "\(error.path?.description ?? "/"): \(error.message)", hint: error.hint ?? "")
        default: self.init(Problem(error))
        }
    }

    private init(_ problem: Problem) {
        self.init(problem.status, problem.failure.message, hint: problem.failure.hint)
    }

    /// - Parameters:
    ///   - detail: A clause that follows the sentence in parentheses; empty if there is none.
    ///   - hint: A sentence that follows; empty if there is none.
    private init(_ status: HTTPResponse.Status, _ sentence: String, detail: String = "", hint: String = "") {
        self.status = status
        retryAfter = status == .serviceUnavailable ? 1 : nil
        let statement = detail.isEmpty ? sentence : "\(sentence) (\(detail))"
        text = hint.isEmpty ? statement : statement.hasSuffix(".") ? "\(statement) \(hint)" : "\(statement). \(hint)"
    }

    /// The body of the response.
    var json: [UInt8] {
        let document: TreeValue = ["error": .string(text)]
        return document.json()
    }

    /// The response.
    package var response: Response {
        var headers = HTTPFields.database
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        if status == .upgradeRequired { headers[.upgrade] = "websocket" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }
}
