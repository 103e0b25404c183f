package import Model
import TreeModel

/// The requester of an operation on invitations.
package enum InvitationMaker: Hashable, Sendable {
    /// The owner of the service, or a person with the claim `admin`, whose id is given.
    case admin(UserID?)
    /// Any other person, who may invite to audiences that they own.
    case person(UserID)

    package var uid: UserID? {
        switch self {
        case .admin(let uid): uid
        case .person(let uid): uid
        }
    }

    var isAdmin: Bool { if case .admin = self { true } else { false } }
}

/// The order for an invitation.
package struct InvitationOrder: Hashable, Sendable {
    /// The largest number of uses, and of days.
    package static let (maxUses, maxDays) = (5000, 365)
    /// The longest note, in characters.
    package static let maxNoteLength = 200

    /// Whether the code is a short one, which people type.
    package var isShort = false
    /// The number of uses; nil for the default: 1 for a link, 30 for a short code.
    package var uses: Int?
    /// The number of days until its end; nil for the default: 7, and 365 for the class code of children, by which they
    /// also sign in again.
    package var days: Int?
    package var audience: AudienceID?
    package var role: AudienceRole?
    package var grantsAdmin = false
    package var isWithoutAddress = false
    package var email: EmailAddress?
    package var note: String?

    package init() {}

    /// Checks an order, and fills in the defaults.
    ///
    /// - Throws: `INVALID_ARGUMENT` with a text for people.
    func checked() throws(IdentityError) -> InvitationOrder {
        var order = self
        order.uses = uses ?? (isShort ? 30 : 1)
        order.days = days ?? (isWithoutAddress ? Self.maxDays : 7)
        order.role = audience == nil ? nil : role ?? .reader
        let faults: [(isThere: Bool, words: String)] = [
            (!(1...Self.maxUses).contains(order.uses ?? 0), "An invitation has 1 to \(Self.maxUses) uses"),
            (!(1...Self.maxDays).contains(order.days ?? 0), "An invitation is valid for 1 to \(Self.maxDays) days"),
            (role != nil && audience == nil, "A role needs an audience"),
            (grantsAdmin && isShort, "A short code could be guessed, so it makes nobody an admin"),
            (isWithoutAddress && audience == nil, "People without an address need an audience"),
            (isWithoutAddress && !isShort, "People without an address need a short code, by which they sign in again"),
            (isWithoutAddress && (grantsAdmin || order.role == .owner), "People without an address cannot be owners"),
        ]
        if let fault = faults.first(where: \.isThere) { throw IdentityError("INVALID_ARGUMENT : \(fault.words)") }
        return order
    }
}
