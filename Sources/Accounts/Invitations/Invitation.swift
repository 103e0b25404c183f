package import Model
package import TreeModel

/// The right of a number of people to create an account, to become members of an audience, or both.
package struct Invitation: Hashable, Sendable {
    /// The id: 16 small letters and digits, ordered by the time of the creation. It is not secret.
    package let id: String
    /// The hash of the code, by which it is found.
    let hash: TreeKey
    /// The code itself, if it is a short one. Its hash would not protect it: all short codes can be hashed in minutes.
    /// A teacher who has wiped the board can therefore look it up.
    let shortCode: String?
    /// The audience that the person becomes a member of; nil for none.
    package let audience: AudienceID?
    /// The role in the audience; nil without one.
    package let role: AudienceRole?
    /// Whether the person gets the claim `admin`.
    package let grantsAdmin: Bool
    /// Whether people enter without an e-mail address, by name and picture: the class code of children.
    package let isWithoutAddress: Bool
    /// The only address that may sign up with it; nil for any.
    package let email: EmailAddress?
    /// The maker's note, which only those who manage invitations see.
    package let note: String?
    /// The user who made it; nil for the owner of the service.
    package let maker: UserID?
    package let createdAt: Timestamp
    /// The time at which it ends.
    package let expiresAt: Timestamp
    /// The number of times that it may be used.
    package let maxUses: Int
    /// The number of times that it has been used.
    package internal(set) var uses = 0
    /// The time at which it was taken back; nil if it was not.
    package internal(set) var withdrawnAt: Timestamp?
    /// The time of its last use, or of its withdrawal; nil before, and for earlier versions' uses.
    var changedAt: Timestamp?

    /// The time of the last change; that of the creation before any.
    package var updatedAt: Timestamp { changedAt ?? withdrawnAt ?? createdAt }

    /// The time for which an invitation is kept after its end, so that people learn why it does not work.
    static let afterlife = Duration.seconds(30 * 86_400)

    /// The states of an invitation.
    package enum State: String, Sendable, CaseIterable {
        case valid, withdrawn, expired
        case usedUp = "used_up"
    }

    package func state(at now: Timestamp) -> State {
        if withdrawnAt != nil { return .withdrawn }
        if expiresAt <= now { return .expired }
        return uses >= maxUses ? .usedUp : .valid
    }

    /// Whether it may be deleted.
    func isOver(at now: Timestamp) -> Bool { expiresAt + Self.afterlife <= now }

    /// The short code as people see it; nil for a link, which nobody sees again.
    package var shownCode: String? {
        shortCode.flatMap { try? InvitationCode(parsing: $0, at: nil).shown }
    }
}

// MARK: - Stored form

extension Invitation: TreeRecord {
    package static let form = RecordForm(
        Self.init(
            id:hash:shortCode:audience:role:grantsAdmin:isWithoutAddress:email:note:maker:createdAt:expiresAt:maxUses:
            uses:withdrawnAt:changedAt:),
        .init(keyAs: \.id), .init("hash", \.hash), .init("code", \.shortCode), .init("audience", \.audience),
        .init("role", \.role), .init("admin", \.grantsAdmin, default: false),
        .init("no_address", \.isWithoutAddress, default: false), .init("email", \.email), .init("note", \.note),
        .init("maker", \.maker), .init("created", \.createdAt), .init("expires", \.expiresAt),
        .init("max_uses", \.maxUses), .init("uses", \.uses, default: 0), .init("withdrawn", \.withdrawnAt),
        .init("updated", \.changedAt))
}
