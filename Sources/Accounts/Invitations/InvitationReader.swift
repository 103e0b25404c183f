import Model
import Tree
import TreeModel

extension AccountTransaction {
    /// The invitations, and the audiences that they are for, in the state that this transaction reads.
    var invitations: InvitationReader { InvitationReader(snapshot: reader.snapshot, now: now) }
}

/// Reads invitations, and the members of their audiences, in one snapshot of the tree.
struct InvitationReader {
    /// The largest number of invitations, with those that have ended.
    static let maxCount = 5000

    let snapshot: TreeSnapshot
    let now: Timestamp

    /// Returns all invitations, in the order of their creation.
    func all() throws(TreeError) -> [Invitation] {
        try snapshot.children(of: AccountNodes.invitation(), limit: Self.maxCount)
            .compactMap { Invitation($0.value, at: $0.key) }
    }

    /// Returns the invitation with an id.
    ///
    /// - Throws: `INVITATION_NOT_FOUND`.
    func invitation(id: String) throws -> Invitation {
        guard let key = try? TreeKey(id), let record = try snapshot.get(AccountNodes.invitation() / key),
            let invitation = Invitation(record, at: key)
        else { throw IdentityError.invitationNotFound }
        return invitation
    }

    /// Returns the invitation with a code, in any state.
    ///
    /// - Throws: `INVITATION_NOT_FOUND`.
    func invitation(of code: InvitationCode) throws -> Invitation {
        guard let id = try snapshot.get(AccountNodes.invitationCode() / code.hash)?.stringValue else {
            throw IdentityError.invitationNotFound
        }
        let invitation = try invitation(id: id)
        guard invitation.hash == code.hash else { throw IdentityError.invitationNotFound }
        return invitation
    }

    /// Returns the invitation with a code, if it can be used.
    ///
    /// - Parameter isUsedUpToo: Whether one without uses left is returned too, by which children sign in again.
    /// - Throws: `INVITATION_NOT_FOUND`, `INVITATION_WITHDRAWN`, also when its audience was deleted,
    ///   `INVITATION_EXPIRED` or `INVITATION_USED_UP`.
    func usable(_ code: InvitationCode, isUsedUpToo: Bool = false) throws -> Invitation {
        let invitation = try invitation(of: code)
        if let audience = invitation.audience, try !snapshot.exists(AudienceNodes.audience(audience)) {
            throw IdentityError.invitationWithdrawn
        }
        switch invitation.state(at: now) {
        case .usedUp where isUsedUpToo: return invitation
        case .valid: return invitation
        case .withdrawn: throw IdentityError.invitationWithdrawn
        case .expired: throw IdentityError.invitationExpired
        case .usedUp: throw IdentityError.invitationUsedUp
        }
    }

    /// Returns the purpose of an invitation.
    ///
    /// - Parameter admits: Whether people without an account can create one with it.
    func purpose(of invitation: Invitation, admits: Bool) throws(TreeError) -> Invitations.Purpose {
        var (audience, maker): (String?, String?) = (nil, nil)
        if let id = invitation.audience {
            audience = try snapshot.get(AudienceNodes.audience(id) / "name")?.stringValue
        }
        if let uid = invitation.maker { maker = try snapshot.get(PeopleNodes.person(uid) / "full_name")?.stringValue }
        return Invitations.Purpose(invitation: invitation, audienceName: audience, makerName: maker, admits: admits)
    }

    /// Returns the request to join with an id.
    ///
    /// - Throws: `JOIN_REQUEST_NOT_FOUND`.
    func joinRequest(_ id: String) throws -> JoinRequest {
        guard let key = try? TreeKey(id),
            let request = JoinRequest(try snapshot.get(AccountNodes.joinRequest() / key), at: key)
        else { throw IdentityError("JOIN_REQUEST_NOT_FOUND", status: 404) }
        return request
    }

    // MARK: Audiences

    /// Returns the role of a person in an audience; nil for non-members.
    func role(of uid: UserID, in audience: AudienceID) throws(TreeError) -> AudienceRole? {
        try snapshot.get(AudienceNodes.member(audience) / uid.key)?.stringValue.flatMap { AudienceRole(rawValue: $0) }
    }

    /// Whether a requester may see and withdraw an invitation: an admin, or an owner of its audience.
    func mayManage(_ invitation: Invitation, _ maker: InvitationMaker) throws(TreeError) -> Bool {
        guard case .person(let uid) = maker else { return true }
        guard let audience = invitation.audience else { return false }
        return try role(of: uid, in: audience) == .owner
    }

    /// Checks that a requester is an admin, or owns an audience.
    ///
    /// - Throws: `NOT_OWNER`, or for an admin `AUDIENCE_NOT_FOUND`.
    func requireOwner(_ maker: InvitationMaker, of audience: AudienceID) throws {
        if case .person(let uid) = maker {
            guard try role(of: uid, in: audience) == .owner else { throw IdentityError.notOwner }
        }
        guard try snapshot.exists(AudienceNodes.audience(audience)) else {
            throw IdentityError("AUDIENCE_NOT_FOUND", status: 404)
        }
    }
}
