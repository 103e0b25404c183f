import Model
import Tree

/// Maintains for each person the audiences that they are a member of, with their roles: the mirror of the members.
struct Memberships: Derivation {
    /// The path of the memberships.
    static let memberships = AudienceNodes.membership.pattern

    let place = AudienceNodes.member.pattern

    func writes(for member: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        let path = Self.memberships.path(filledWith: member.keys.reversed())
        return [TreeWrite(path: path, value: AudienceRole(member.after).map { .string($0.rawValue) })]
    }
}

/// Lists the owners of each audience, so that they need not be searched among its members.
struct AudienceOwners: Derivation {
    let place = AudienceNodes.member.pattern

    func writes(for member: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        let isOwner = AudienceRole(member.after) == .owner
        return [TreeWrite(path: AudienceNodes.owner(member.keys[0]) / member.keys[1], value: isOwner ? true : nil)]
    }
}

/// Keeps the last owner of an audience when a writer removes or demotes them, because otherwise only admins could
/// change the audience. Only an owner whose account is deleted is removed (``AudienceHeir``).
///
/// It belongs after ``AudienceOwners``, whose list it reads and maintains, and before ``Memberships``.
struct LastOwner: Derivation {
    let place = AudienceNodes.member.pattern

    func writes(
        for member: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (audience, uid) = (member.keys[0], member.keys[1])
        guard AudienceRole(member.before) == .owner, AudienceRole(member.after) != .owner,
            try snapshot.exists(AudienceNodes.audience() / audience),
            try !snapshot.exists(FollowUpTaskKind.deletePerson.path / uid),
            try !snapshot.exists(AudienceNodes.owner(audience))
        else { return [] }
        let path = place.path(filledWith: member.keys)
        return [
            TreeWrite(path: path, value: .string(AudienceRole.owner.rawValue)),
            TreeWrite(path: AudienceNodes.owner(audience) / uid, value: true),
        ]
    }
}
