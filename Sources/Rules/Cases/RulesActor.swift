package import TreeModel

/// Somebody as whom rules are tried out.
package enum RulesActor: Sendable, Hashable {
    /// The owner of the service, whom no rule binds.
    case owner
    /// Anybody else, by the variable `auth`; nil for somebody of whom nothing is known.
    case bound(auth: JSONValue?)

    /// Somebody with that id, of whom nothing else is known.
    package static func user(_ uid: String) -> RulesActor {
        let token: JSONValue = [
            "sub": .string(uid), "user_id": .string(uid),
            "firebase": ["sign_in_provider": "custom", "identities": [:]],
        ]
        return .bound(auth: ["uid": .string(uid), "provider": "custom", "token": token])
    }

    /// Reads an id, the variable `auth` as an object, null for nobody, or `"admin"` for the owner of the service.
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
                .invalidValue, "nobody is so: give a user's id, an object for auth, null for nobody, or \"admin\"")
        }
    }

    /// Who it is, for people.
    package var words: String {
        switch self {
        case .owner: "the owner of the service"
        case .bound(nil): "nobody"
        case .bound(let auth?): auth["uid"]?.string ?? "somebody without an id"
        }
    }
}
