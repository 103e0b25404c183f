package import TreeModel

/// The proof that admits a request, and its subject.
package struct Proof: Sendable, Hashable {
    /// The kinds of proof, for an audit.
    package enum Kind: Sendable, Hashable {
        /// No credentials.
        case none
        /// A process on this machine, by the credentials that the kernel reports.
        case peer(systemUser: UInt32)
        /// A token of the service itself.
        case token
        /// A token of another issuer.
        case foreignToken(issuer: String)
        /// A database secret, or a token that it signed.
        case databaseSecret
        case adminKey(AdminKey)
        /// The word or the unsigned token that an emulator accepts.
        case emulator
    }

    /// The identity that is proved.
    package enum Subject: Sendable, Hashable {
        case anonymous
        case user(ProvenUser)
        case admin(expiresAt: Timestamp?)
    }

    package let kind: Kind
    package let subject: Subject
    /// Whether it is the proof of an owner who acts as the subject.
    package let isOwnerActing: Bool

    init(_ kind: Kind, _ subject: Subject, isOwnerActing: Bool = false) {
        (self.kind, self.subject, self.isOwnerActing) = (kind, subject, isOwnerActing)
    }

    /// The identity that a request with this proof acts as.
    package var identity: Identity {
        switch subject {
        case .anonymous: .anonymous
        case .user(let proven): .user(proven.user)
        case .admin: .admin
        }
    }

    /// The time at which it expires; nil for never.
    package var expiresAt: Timestamp? {
        switch subject {
        case .anonymous: nil
        case .user(let proven): proven.user.expiresAt
        case .admin(let expiry): expiry
        }
    }

    /// A description for logs, without secrets.
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
