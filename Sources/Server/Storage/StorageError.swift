import API
import Access
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
package import Requests
import Transport
import TreeModel

/// The reason why a request for the bucket is refused, in the form that Firebase's Storage SDKs know. They tell what happened by
/// the status, and show the message.
struct StorageError: Error, CustomStringConvertible {
    let status: HTTPResponse.Status
    let message: String
    /// What the answer has beside.
    var headers: HTTPFields = [:]

    var description: String { message }

    var response: Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        let document: JSONValue = ["error": ["code": .integer(status.code), "message": .string(message)]]
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.text)))
    }
}

extension StorageError {
    /// The refusal of the rules, in Firebase's words.
    ///
    /// - Parameter permission: `READ`, `WRITE` or `LIST`.
    static func denied(_ permission: String) -> StorageError {
        StorageError(status: .forbidden, message: "Permission denied. No \(permission) permission.")
    }

    static func badRequest(_ message: String) -> StorageError { StorageError(status: .badRequest, message: message) }

    static let notFound = StorageError(status: .notFound, message: "Not Found.")

    /// What the server itself refuses, or cannot do.
    init(otherError error: any Error) {
        let problem = Problem(error)
        let hint = problem.failure.hint
        // By this the SDKs know it (`storage/quota-exceeded`).
        let isQuota = problem.failure.code == .quotaExceeded
        status = isQuota ? HTTPResponse.Status(code: 402, reasonPhrase: "Quota Exceeded") : problem.status
        message = problem.failure.message + (hint.isEmpty ? "" : " (\(hint))")
        if let seconds = problem.failure.retryAfter { headers[.retryAfter] = "\(seconds)" }
    }
}

extension ErrorRenderer {
    /// Those of the bucket.
    package static let storage = ErrorRenderer(
        answer: { error, _ in (error as? StorageError ?? StorageError(otherError: error)).response }, level: .info)
}
