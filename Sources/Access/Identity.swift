package import TreeModel

/// The identity that a request acts as.
package enum Identity: Hashable, Sendable, CustomStringConvertible {
    /// An admitted requester without a known identity.
    case anonymous
    /// A user who has proved their identity.
    case user(User)
    /// The owner of the service, who may do everything.
    case admin

    /// The text for a log, without the user's claims.
    package var description: String {
        switch self {
        case .anonymous: "anonymous"
        case .user(let user): "user \(user.uid ?? "without an id")"
        case .admin: "admin"
        }
    }

    /// The provider of anonymous accounts, which are made without a name and a password.
    package static let anonymousProvider = "anonymous"

    /// Whether it is a user of an anonymous account.
    package var isAnonymousAccount: Bool {
        if case .user(let user) = self { user.auth["provider"] == .string(Self.anonymousProvider) } else { false }
    }

    /// The id of the user; nil for other identities.
    package var uid: String? { if case .user(let user) = self { user.uid } else { nil } }
}

/// A user with a proved identity, and their claims.
package struct User: Hashable, Sendable {
    /// The id; nil only if an admin acts as a user without one.
    package let uid: String?
    /// The variable `auth` of security rules: an object with `uid`, `provider` and `token`, which holds all claims.
    package let auth: JSONValue
    /// The time at which the proof expires; nil for never.
    package let expiresAt: Timestamp?

    /// Whether a claim marks the user as an admin, as the rules of a new store define it.
    package var isAdmin: Bool { auth["token"]?["admin"]?.bool == true }

    package init(uid: String?, auth: JSONValue, expiresAt: Timestamp? = nil) {
        self.uid = uid
        self.auth = auth
        self.expiresAt = expiresAt
    }
}
