import API
import Access
import Cryptography
import Hummingbird
import Requests

/// The name of something that failed in addresses: its path, so written that any path fits into one part of an address.
enum FailureID {
    static let schema = Schema.text(matching: "^[-0-9A-Z_a-z]{1,6000}$")

    static func id(of path: String) -> String { Base64URL.encode(Array(path.utf8)) }

    /// The path that a request names; what lies there is for the list of failures to say, which opens nothing else.
    ///
    /// - Throws: `Failure` with the code `not_found` for what is no name.
    static func path(in context: HTTPContext) throws(Failure) -> String {
        guard let bytes = Base64URL.decode((context.parameters.get("id") ?? "").utf8),
            let path = String(validating: bytes, as: UTF8.self)
        else {
            throw Failure(.notFound, "nothing that failed is called so", hint: "GET /v1/failures lists it all")
        }
        return path
    }
}

/// A place in the list of what failed: the time, and the path among those of one time.
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

    /// As it is given to clients.
    var text: String { "\(time).\(FailureID.id(of: path))" }

    static func < (one: Self, other: Self) -> Bool { (one.time, one.path) < (other.time, other.path) }

    /// The place before which a page begins; nil for the newest.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    static func requested(by query: RequestFields) throws(Failure) -> FailureCursor? {
        guard let text = query["before"] else { return nil }
        guard let cursor = FailureCursor(text) else {
            throw Failure(.badRequest, "before is no cursor", hint: "use \"next\" of the page before")
        }
        return cursor
    }
}
