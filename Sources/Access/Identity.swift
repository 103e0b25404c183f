package import TreeModel

/// The identity that a request acts as.
package enum Identity: Hashable, Sendable, CustomStringConvertible {
    /// Somebody who was let in, and of whom nothing is known.
    case anonymous
    /// Somebody who proved who they are.
    case user(User)
    /// The owner of the service, who may do everything.
    case admin

    /// The words for the identity in a log, without what is claimed of a user.
    package var description: String {
        switch self {
        case .anonymous: "anonymous"
        case .user(let user): "user \(user.uid ?? "without an id")"
        case .admin: "admin"
        }
    }

    /// The id of the user; nil for everybody else.
    package var uid: String? { if case .user(let user) = self { user.uid } else { nil } }
}

/// A user who proved who they are, and what is claimed of them.
package struct User: Hashable, Sendable {
    /// The id; nil only where an admin acts as somebody without one.
    package let uid: String?
    /// The variable `auth` of security rules: an object with `uid`, `provider` and `token`, which has all claims.
    package let auth: JSONValue
    /// The time at which the proof expires; nil for never.
    package let expiresAt: Timestamp?

    /// Whether a claim says that the user is an admin, as the rules of a new store have it.
    package var isAdmin: Bool { auth["token"]?["admin"]?.bool == true }

    package init(uid: String?, auth: JSONValue, expiresAt: Timestamp? = nil) {
        self.uid = uid
        self.auth = auth
        self.expiresAt = expiresAt
    }
}
