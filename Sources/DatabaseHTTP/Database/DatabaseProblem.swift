import API
import HTTPTypes
package import Hummingbird
import NIOCore
import Requests
import Transport
import Tree

/// What a client of the database learns of an error: `{"error": "…"}` and its status.
///
/// The protocol's own sentence comes first, word for word, since clients compare it; what is known beyond it follows.
package struct DatabaseProblem {
    let status: HTTPResponse.Status
    let text: String
    /// The seconds after which to try again; nil where nothing is gained by that.
    private(set) var retryAfter: Int?

    private static let invalidData = """
        Invalid data; couldn't parse JSON object, array, or value. Perhaps you're using invalid characters in your key \
        names.
        """
    private static let tooLarge = "Data to write exceeds the maximum size that can be modified with a single request."

    package init(_ error: any Error) {
        switch error {
        case let error as Failure:
            self.init(Problem(error).status, error.message, detail: error.hint)
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
            self.init(.badRequest, "\(error.path?.description ?? "/"): \(error.message)", detail: error.hint ?? "")
        default: self.init(Problem(error))
        }
    }

    private init(_ problem: Problem) {
        self.init(problem.status, problem.failure.message, detail: problem.failure.hint)
    }

    private init(_ status: HTTPResponse.Status, _ sentence: String, detail: String = "") {
        self.status = status
        retryAfter = status == .serviceUnavailable ? 1 : nil
        text = detail.isEmpty ? sentence : "\(sentence) (\(detail))"
    }

    /// The answer's body.
    var json: [UInt8] {
        let document: TreeValue = ["error": .string(text)]
        return document.json()
    }

    /// The answer.
    package var response: Response {
        var headers = HTTPFields.database
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        if status == .upgradeRequired { headers[.upgrade] = "websocket" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }
}
