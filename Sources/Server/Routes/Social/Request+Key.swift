import HTTPTypes
import Hummingbird
import Model
import Requests
import Social
import Tree

extension Request {
    /// Returns the key by which a repeated request is recognised; nil if it has none.
    ///
    /// - Parameters:
    ///   - owner: The sender; nil for the service's owner.
    ///   - words: The contents of the request.
    /// - Throws: `Failure` with the code `bad_reference`.
    func key(of owner: UserID?, for words: [String]) throws -> RequestKey? {
        try headers[.idempotencyKey].map { try RequestKey($0, of: owner, for: words) }
    }
}

extension Parameter {
    static let idempotencyKey = Parameter.header(
        "Idempotency-Key", .text(matching: "^[!-~]{1,200}$"), "a key by which a repeated request is recognised")
}
