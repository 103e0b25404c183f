import Model
import Tree
import TreeModel

extension Invitation {
    /// The largest number of invitations that people who are no admins can bring the service to.
    private static let maxCountOfPeople = 4000
    /// The largest number of one audience, as long as no admin makes more.
    private static let maxCountOfAudience = 50

    private var key: TreeKey { TreeKey(unchecked: id) }

    /// Writes a change of the invitation.
    func write(to transaction: inout AccountTransaction) { transaction.set(AccountNodes.invitation() / key, to: value) }

    /// Deletes the invitation.
    private func remove(from transaction: inout AccountTransaction) {
        transaction.set(AccountNodes.invitation() / key, to: nil)
        transaction.set(AccountNodes.invitationCode() / hash, to: nil)
    }

    /// Stores it as a new invitation. When there are too many, the oldest one that has ended is deleted.
    ///
    /// - Throws: `INSUFFICIENT_PERMISSION`, `NOT_OWNER`, `AUDIENCE_NOT_FOUND` or `TOO_MANY_INVITATIONS`.
    func add(to transaction: inout AccountTransaction, by maker: InvitationMaker) throws {
        guard maker.isAdmin || audience != nil && !grantsAdmin else { throw IdentityError.insufficientPermission }
        if let audience { try transaction.invitations.requireOwner(maker, of: audience) }
        let all = try transaction.invitations.all()
        var limits = [(invitations: all, count: InvitationReader.maxCount)]
        if !maker.isAdmin {
            limits = [(all, Self.maxCountOfPeople), (all.filter { $0.audience == audience }, Self.maxCountOfAudience)]
        }
        for (invitations, count) in limits where invitations.count >= count {
            guard let ended = invitations.first(where: { $0.state(at: transaction.now) != .valid }) else {
                throw IdentityError.tooManyInvitations
            }
            ended.remove(from: &transaction)
        }
        write(to: &transaction)
        transaction.set(AccountNodes.invitationCode() / hash, to: .string(id))
    }

    /// Uses the invitation with a code for a person: they become a member of its audience. A person who would gain
    /// nothing by it does not use it up.
    ///
    /// - Parameter gains: Whether the person gains something besides the membership: an account, or the claim `admin`.
    /// - Returns: The invitation, and whether the person has gained anything.
    /// - Throws: The errors of `InvitationReader.usable`, or `TOO_MANY_MEMBERS`.
    static func use(
        _ code: InvitationCode, for uid: UserID, in transaction: inout AccountTransaction,
        gains: (Invitation) -> Bool = { _ in true }
    ) throws -> (invitation: Invitation, isUsed: Bool) {
        let reader = transaction.invitations
        let found = try reader.invitation(of: code)
        var isJoining = false
        if let audience = found.audience, let role = found.role {
            isJoining = try !(reader.role(of: uid, in: audience)?.includes(role) ?? false)
        }
        guard isJoining || gains(found) else { return (found, false) }
        var invitation = try reader.usable(code)
        if isJoining, let audience = invitation.audience, let role = invitation.role {
            let members = AudienceNodes.member(audience)
            let isMember = try reader.snapshot.exists(members / uid.key)
            guard try isMember || reader.snapshot.childCount(of: members) < AudienceRole.maxMembers else {
                throw IdentityError("TOO_MANY_MEMBERS")
            }
            transaction.set(members / uid.key, to: role.value)
        }
        invitation.uses += 1
        invitation.changedAt = transaction.now
        invitation.write(to: &transaction)
        return (invitation, true)
    }

    /// Uses the invitation with a code for an account that is being created, or becomes more than anonymous.
    ///
    /// - Throws: The errors of ``use(_:for:in:gains:)``.
    static func use(
        _ code: InvitationCode, for account: inout Account, in transaction: inout AccountTransaction
    ) throws {
        guard let uid = UserID(account.uid) else { throw IdentityError.invitationNotFound }
        let (invitation, _) = try use(code, for: uid, in: &transaction)
        if invitation.grantsAdmin { account.customClaims = AccountClaims.addingAdmin(to: account.customClaims) }
    }
}
