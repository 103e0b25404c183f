import API
import Access
import Cryptography
import Hummingbird
import Requests

/// The identifier of a failed file in addresses: its path, encoded so that any path fits into one segment.
enum FailureID {
    static let schema = Schema.text(matching: "^[-0-9A-Z_a-z]{1,6000}$")

    static func id(of path: String) -> String { Base64URL.encode(Array(path.utf8)) }

    /// Returns the path that a request names; only the list of failures decides whether it exists, and nothing else is
    /// opened.
    ///
    /// - Throws: `Failure` with the code `not_found` for a malformed identifier.
    static func path(in context: HTTPContext) throws(Failure) -> String {
        guard let bytes = Base64URL.decode((context.parameters.get("id") ?? "").utf8),
            let path = String(validating: bytes, as: UTF8.self)
        else {
            throw Failure(.notFound, "no failed file has this id", hint: "List them all with GET /v1/failures.")
        }
        return path
    }
}

/// A position in the list of failures: the time, and the path among those of one time.
struct FailureCursor: Comparable {
    private let time: Int64
    private let path: String

    init(_ item: FailedFileDocument) { (time, path) = (item.failedAt, item.path) }

    private init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), let bytes = Base64URL.decode(parts[1].utf8),
            let path = String(validating: bytes, as: UTF8.self)
        else { return nil }
        (self.time, self.path) = (time, path)
    }

    /// The text of the cursor for clients.
    var text: String { "\(time).\(FailureID.id(of: path))" }

    static func < (one: Self, other: Self) -> Bool { (one.time, one.path) < (other.time, other.path) }

    /// Returns the position before which a page begins; nil for the newest.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    static func requested(by query: RequestFields) throws(Failure) -> FailureCursor? {
        guard let text = query["before"] else { return nil }
        guard let cursor = FailureCursor(text) else {
            throw Failure(.badRequest, "before is not a cursor", hint: "Use \"next\" of the page before.")
        }
        return cursor
    }
}
