/// An invitation, for those who may manage it.
package struct InvitationDocument: Document {
    package let id: String
    /// `valid`, `used_up`, `expired` or `withdrawn`.
    package let state: String
    /// The code: a short one always, that of a link only in the response to the request that creates it.
    package var code: String?
    /// The link with the code, in the same response; nil if the address of the service is not known.
    package var link: String?
    /// The audience that people become members of; nil for none.
    package var audience: String?
    /// `owner`, `poster` or `reader`; nil without an audience.
    package var role: String?
    /// Whether people get the claim `admin`.
    package var admin = false
    /// Whether people enter without an e-mail address, by name and picture.
    package var noAddress = false
    /// The only address that may sign up with it; nil for any.
    package var email: String?
    package var note: String?
    /// The user who made it; nil for the owner of the service.
    package var by: String?
    /// The time of the creation, in milliseconds since the epoch.
    package let created: Int64
    /// The time of the last use, of the withdrawal, or else of the creation, in milliseconds since the epoch.
    package var updated: Int64?
    /// The time of the end, in milliseconds since the epoch.
    package let expires: Int64
    /// The number of times that it has been used.
    package let uses: Int
    /// The number of times that it may be used.
    package let maxUses: Int

    private enum CodingKeys: String, CodingKey {
        case id, state, code, link, audience, role, admin
        case noAddress = "no_address"
        case email, note, by, created, updated, expires, uses
        case maxUses = "max_uses"
    }

    package init(id: String, state: String, created: Int64, expires: Int64, uses: Int, maxUses: Int) {
        self.id = id
        self.state = state
        self.created = created
        self.expires = expires
        self.uses = uses
        self.maxUses = maxUses
    }
}

/// A page of invitations, the newest first.
package struct InvitationPageDocument: Document {
    package let invitations: [InvitationDocument]
    package let hasMore: Bool
    /// The cursor of the next page; nil on the last page.
    package let next: String?

    private enum CodingKeys: String, CodingKey {
        case invitations
        case hasMore = "has_more"
        case next
    }

    package init(invitations: [InvitationDocument], next: String?) {
        self.invitations = invitations
        self.hasMore = next != nil
        self.next = next
    }
}

/// The order for an invitation.
package struct InvitationOrderDocument: Document {
    /// Whether the code is a short one, which people type.
    package var short: Bool?
    package var uses: Int?
    package var days: Int?
    package var audience: String?
    package var role: String?
    package var admin: Bool?
    package var noAddress: Bool?
    package var note: String?

    private enum CodingKeys: String, CodingKey {
        case short, uses, days, audience, role, admin
        case noAddress = "no_address"
        case note
    }

    package init() {}
}

/// The purpose of an invitation, as everybody who has its code may learn it.
package struct InvitationPurposeDocument: Document {
    /// The name of the service.
    package let service: String
    /// The id of the audience; nil for none.
    package let audience: String?
    package let audienceName: String?
    package let role: String?
    /// The name of the person who invites; nil for the owner of the service.
    package let by: String?
    /// Whether people without an account can create one with it.
    package let admits: Bool
    /// Whether an account needs an e-mail address.
    package let needsAddress: Bool
    /// The time of the end, in milliseconds since the epoch.
    package let expires: Int64

    private enum CodingKeys: String, CodingKey {
        case service, audience
        case audienceName = "audience_name"
        case role, by, admits
        case needsAddress = "needs_address"
        case expires
    }

    package init(
        service: String, audience: String?, audienceName: String?, role: String?, by: String?, admits: Bool,
        needsAddress: Bool, expires: Int64
    ) {
        self.service = service
        self.audience = audience
        self.audienceName = audienceName
        self.role = role
        self.by = by
        self.admits = admits
        self.needsAddress = needsAddress
        self.expires = expires
    }
}

/// The use of an invitation by a signed-in person.
package struct InvitationUseDocument: Document {
    /// The audience; nil for none.
    package let audience: String?
    package let role: String?
    /// Whether the person has the claim `admin` by it, which is in their next token.
    package let admin: Bool
    /// Whether the person has gained anything; otherwise the invitation is not used up.
    package let used: Bool

    package init(audience: String?, role: String?, admin: Bool, used: Bool) {
        self.audience = audience
        self.role = role
        self.admin = admin
        self.used = used
    }
}
