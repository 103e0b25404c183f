import HTTPTypes
import Hummingbird
import NIOCore
import Requests

/// The action of one request of an upload in several requests, and its responses, in either of the two forms.
struct UploadStep {
    enum Action: Equatable {
        case query, cancel
        /// Receives the body as the next bytes.
        ///
        /// - offset: The offset of the first byte; nil if it was not specified.
        /// - isLast: Whether they end the object.
        /// - length: The size of the whole object; nil if it was not specified.
        case receive(offset: Int?, isLast: Bool, length: Int?)
    }

    let action: Action
    /// Whether the request uses `Content-Range`.
    let isRanged: Bool

    /// Parses the header fields.
    ///
    /// - Throws: `StorageError` 400.
    init(_ request: Request) throws(StorageError) {
        if let command = request.headers[.googUploadCommand] {
            isRanged = false
            action = try Self.action(command: command, request)
        } else if request.method == .put {
            isRanged = true
            action = try Self.action(range: request.headers[.contentRange])
        } else if request.method == .delete {
            (isRanged, action) = (true, .cancel)
        } else {
            throw .badRequest("X-Goog-Upload-Command is missing.")
        }
    }

    private static func action(command: String, _ request: Request) throws(StorageError) -> Action {
        let words = Set(command.lowercased().split { $0 == "," || $0 == " " }.map(String.init))
        switch words {
        case ["query"]: return .query
        case ["cancel"]: return .cancel
        case ["upload"], ["finalize"], ["upload", "finalize"]:
            let text = request.headers[.googUploadOffset]
            let offset = text.flatMap { Int(digits: $0) }
            guard text == nil || offset != nil else { throw .badRequest("X-Goog-Upload-Offset is not an offset.") }
            guard offset != nil || words == ["finalize"] else {
                throw .badRequest("X-Goog-Upload-Offset is missing.")
            }
            return .receive(offset: offset, isLast: words.contains("finalize"), length: nil)
        default: throw .badRequest("X-Goog-Upload-Command is unknown.")
        }
    }

    /// Parses `bytes FIRST-LAST/LENGTH`, of which the length may be `*`, or `bytes */LENGTH` (RFC 9110 §14.4).
    private static func action(range: String?) throws(StorageError) -> Action {
        guard let range else { return .receive(offset: 0, isLast: true, length: nil) }
        guard range.hasPrefix("bytes ") else { throw badRange }
        let parts = range.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw badRange }
        let length = Int(digits: parts[1])
        guard length != nil || parts[1] == "*" else { throw badRange }
        if parts[0] == "*" {
            // An object without bytes has no first byte.
            return length == 0 ? .receive(offset: 0, isLast: true, length: 0) : .query
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
            .map { Int(digits: $0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < length ?? .max
        else { throw badRange }
        return .receive(offset: first, isLast: last + 1 == length, length: length)
    }

    private static let badRange = StorageError.badRequest("This is not a Content-Range.")

    // MARK: Responses

    /// Returns the response that asks for more bytes.
    ///
    /// - Parameter mismatch: The error in the received bytes; nil for none.
    func active(_ byteCount: Int, mismatch: String? = nil) -> Response {
        if let mismatch {
            return StorageError(
                status: .badRequest, message: mismatch,
                headers: [.googUploadStatus: "active", .googUploadSizeReceived: "\(byteCount)"]
            ).response
        }
        guard isRanged else {
            return Response(
                status: .ok, headers: [.googUploadStatus: "active", .googUploadSizeReceived: "\(byteCount)"])
        }
        var headers: HTTPFields = [.contentLength: "0"]
        if byteCount > 0 { headers[.range] = "bytes=0-\(byteCount - 1)" }
        return Response(status: .init(code: 308, reasonPhrase: "Resume Incomplete"), headers: headers)
    }

    /// Returns the response for a complete object.
    func final(_ document: ObjectDocument, byteCount: Int) -> Response {
        document.response(headers: [.googUploadStatus: "final", .googUploadSizeReceived: "\(byteCount)"])
    }

    /// The response to a cancelled upload.
    var cancelled: Response {
        isRanged
            ? Response(status: .noContent) : Response(status: .ok, headers: [.googUploadStatus: "cancelled"])
    }
}
