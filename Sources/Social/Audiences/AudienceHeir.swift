import Model
import Tree

/// Makes another member an owner of an audience when the last owner's account is deleted: the first poster who is not
/// being deleted, or else the first such reader, in the order of their ids. An audience without such a member is left
/// to admins.
///
/// It belongs after ``LastOwner``, which keeps owners who are not being deleted, and before ``Memberships``.
struct AudienceHeir: Derivation {
    let place = AudienceNodes.member.pattern

    func writes(
        for member: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let audience = member.keys[0]
        guard AudienceRole(member.before) == .owner, AudienceRole(member.after) != .owner,
            try snapshot.exists(AudienceNodes.audience() / audience),
            try !snapshot.exists(AudienceNodes.owner(audience)),
            let heir = try Self.heir(of: audience, in: snapshot)
        else { return [] }
        return [
            TreeWrite(
                path: place.path(filledWith: [audience, heir]), value: .string(AudienceRole.owner.rawValue)),
            TreeWrite(path: AudienceNodes.owner(audience) / heir, value: true),
        ]
    }

    private static func heir(of audience: TreeKey, in snapshot: TreeSnapshot) throws(TreeError) -> TreeKey? {
        let members = try snapshot.children(
            of: AudienceNodes.audience() / audience / "members", limit: Audiences.maxMembers)
        for role in [AudienceRole.poster, .reader] {
            for member in members where member.value == .string(role.rawValue) {
                if try !snapshot.exists(FollowUpTaskKind.deletePerson.path / member.key) { return member.key }
            }
        }
        return nil
    }
}
