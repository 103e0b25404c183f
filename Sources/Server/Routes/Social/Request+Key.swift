import API
import Access
import HTTPTypes
import Hummingbird
import Model
import Requests
import Social
import Transport
import Tree
import TreeModel

extension HTTPContext {
    /// Returns the key by which a repeated request is recognised, of its sender; nil if it has none.
    ///
    /// - Parameter words: The contents of the request.
    /// - Throws: `Failure` with the code `bad_reference`, also for a sender who cannot have keys, or `permission_denied`
    ///   for an unauthenticated request.
    func key(of request: Request, for words: [String]) throws -> RequestKey? {
        guard let reference = request.headers[.idempotencyKey] else { return nil }
        return try RequestKey(reference, of: try keyOwner, for: words)
    }

    /// Returns such a key, which is bound to the method and the path of the request, and to its body.
    ///
    /// - Parameter body: The members of the body to which it is bound.
    func key(of request: Request, with body: [String: JSONValue] = [:]) throws -> RequestKey? {
        let text = String(decoding: JSONValue.object(body).text, as: UTF8.self)
        return try key(of: request, for: [request.method.rawValue, request.uri.path, text])
    }

    /// The user whose keys the sender's are; nil for the service's owner.
    private var keyOwner: UserID? {
        get throws(Failure) {
            switch identity {
            case .admin: return nil
            case .anonymous: throw .permissionDenied(hint: "Sign in, and send the token in Authorization.")
            case .user(let user):
                guard let uid = user.uid.flatMap({ UserID($0) }) else {
                    throw Failure(
                        .badReference, "the token does not name a user that can have idempotency keys",
                        hint: "Send the request without a key.")
                }
                return uid
            }
        }
    }
}

extension Parameter {
    static let idempotencyKey = Parameter.header(
        "Idempotency-Key", .text(matching: ClientReference.pattern), "a key by which a repeated request is recognised")
}

extension [ErrorCode] {
    /// The errors of a request with a key.
    static let ofKeys: [ErrorCode] = [.badReference, .keyReused]
}
