package import TreeModel

/// What lets a request in, and as whom.
package struct Proof: Sendable, Hashable {
    /// The kinds of proof, for an audit.
    package enum Kind: Sendable, Hashable {
        /// Nothing is shown, and nothing is proved.
        case none
        /// A process on this machine, by the credentials that the kernel has of it.
        case peer(systemUser: UInt32)
        /// A token of the service's own.
        case token
        /// A token of another issuer.
        case foreignToken(issuer: String)
        /// A database secret, or a token that it signed.
        case databaseSecret
        case adminKey(AdminKey)
        /// The word or the token that an emulator believes.
        case emulator
    }

    /// Who is proved.
    package enum Subject: Sendable, Hashable {
        case anonymous
        case user(ProvenUser)
        case admin(expiresAt: Timestamp?)
    }

    package let kind: Kind
    package let subject: Subject
    /// Whether it is an owner's, who acts as the subject.
    package let isOwnerActing: Bool

    init(_ kind: Kind, _ subject: Subject, isOwnerActing: Bool = false) {
        (self.kind, self.subject, self.isOwnerActing) = (kind, subject, isOwnerActing)
    }

    /// As whom a request with it acts.
    package var identity: Identity {
        switch subject {
        case .anonymous: .anonymous
        case .user(let proven): .user(proven.user)
        case .admin: .admin
        }
    }

    /// When it expires; nil for never.
    package var expiresAt: Timestamp? {
        switch subject {
        case .anonymous: nil
        case .user(let proven): proven.user.expiresAt
        case .admin(let expiry): expiry
        }
    }

    /// A word for logs, which says nothing secret.
    package var label: String {
        switch kind {
        case .none: "nothing"
        case .peer(let user): "system user \(user)"
        case .token: "token"
        case .foreignToken(let issuer): "token of \(issuer)"
        case .databaseSecret: "database secret"
        case .adminKey(let key): "admin key \(key.name)"
        case .emulator: "emulator"
        }
    }
}
