package import TreeModel

/// The identity with which rules are tried out.
package enum RulesActor: Sendable, Hashable {
    /// The owner of the service, who is not bound by rules.
    case owner
    /// Any other identity, by the variable `auth`; nil for an unauthenticated client.
    case bound(auth: JSONValue?)

    /// Returns the identity of a user with an id and no other claims.
    package static func user(_ uid: String) -> RulesActor {
        let token: JSONValue = [
            "sub": .string(uid), "user_id": .string(uid),
            "firebase": ["sign_in_provider": "custom", "identities": [:]],
        ]
        return .bound(auth: ["uid": .string(uid), "provider": "custom", "token": token])
    }

    /// Reads an id, the variable `auth` as an object, null for an unauthenticated client, or `"admin"` for the owner of
    /// the service.
    ///
    /// - Throws: ``TreeError`` with code `invalid_value`.
    package init(json: JSONValue) throws(TreeError) {
        switch json {
        case .null: self = .bound(auth: nil)
        case "admin": self = .owner
        case .string(let uid) where !uid.isEmpty: self = .user(uid)
        case .object: self = .bound(auth: json)
        default:
            throw TreeError(
                .invalidValue, "the identity is invalid: use a user's id, an object for auth, null or \"admin\"")
        }
    }

    /// The name of the identity, for people.
    package var words: String {
        switch self {
        case .owner: "the owner of the service"
        case .bound(nil): "nobody"
        case .bound(let auth?): auth["uid"]?.string ?? "a user without an id"
        }
    }
}
