import HTTPTypes
import Hummingbird
import Model
import Requests
import Social

extension Request {
    /// By which the same request is known again; nil when it does not say.
    ///
    /// - Parameters:
    ///   - owner: Whoever sends it; nil for the service's owner.
    ///   - words: All that it says.
    /// - Throws: `Failure` with the code `bad_reference`.
    func key(of owner: UserID?, for words: [String]) throws -> RequestKey? {
        try headers[.idempotencyKey].map { try RequestKey($0, of: owner, for: words) }
    }
}

extension Parameter {
    static let idempotencyKey = Parameter.header(
        "Idempotency-Key", .text(matching: "^[!-~]{1,200}$"), "by which the same request is known again")
}
