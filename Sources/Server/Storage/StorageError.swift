import API
import Access
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
package import Requests
import Transport
import TreeModel

/// The refusal of a request for the bucket, in the form of Firebase's Storage SDKs. They derive the error from the
/// status, and show the message.
struct StorageError: Error, CustomStringConvertible {
    let status: HTTPResponse.Status
    let message: String
    /// Additional header fields of the response.
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
    /// Returns the refusal by the rules, in Firebase's words.
    ///
    /// - Parameter permission: `READ`, `WRITE` or `LIST`.
    static func denied(_ permission: String) -> StorageError {
        StorageError(status: .forbidden, message: "Permission denied. No \(permission) permission.")
    }

    static func badRequest(_ message: String) -> StorageError { StorageError(status: .badRequest, message: message) }

    static let notFound = StorageError(status: .notFound, message: "Not Found.")

    /// Creates the error for a refusal or fault of the server itself.
    init(otherError error: any Error) {
        let problem = Problem(error)
        // The SDKs recognise it by this status (`storage/quota-exceeded`).
        let isQuota = problem.failure.code == .quotaExceeded
        status = isQuota ? HTTPResponse.Status(code: 402, reasonPhrase: "Quota Exceeded") : problem.status
        message = problem.failure.description
        if let seconds = problem.failure.retryAfter { headers[.retryAfter] = "\(seconds)" }
    }
}

extension ErrorRenderer {
    /// The errors of the bucket.
    package static let storage = ErrorRenderer(
        answer: { error, _ in (error as? StorageError ?? StorageError(otherError: error)).response }, level: .info)
}
