import Posts
import Tree

/// Keeps for each person the audiences that they are a member of, with what they may do: the other side of the members.
struct Memberships: Derivation {
    /// Where that stands.
    static let memberships = TreePattern("memberships/*/*")

    let place = TreePattern("audiences/*/members/*")

    func writes(for member: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
        let path = Self.memberships.path(filledWith: member.keys.reversed())
        return [TreeWrite(path: path, value: AudienceRole(member.after).map { .string($0.rawValue) })]
    }
}

/// Keeps the last owner of an audience, whoever would remove them or take their rights: nobody could do anything with it
/// any more. Only who is deleted altogether goes all the same.
///
/// It belongs into a stratum before that of ``Memberships``.
struct LastOwner: Derivation {
    let place = TreePattern("audiences/*/members/*")

    func writes(
        for member: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        let (audience, uid) = (member.keys[0], member.keys[1])
        guard AudienceRole(member.before) == .owner, AudienceRole(member.after) != .owner,
            try snapshot.exists(Paths.audiences / audience),
            try !snapshot.exists(JobKind.deletePerson.path / uid), try !snapshot.hasOwner(audience)
        else { return [] }
        let path = place.path(filledWith: member.keys)
        return [TreeWrite(path: path, value: .string(AudienceRole.owner.rawValue))]
    }
}

extension TreeSnapshot {
    /// Whether an audience has an owner; costs a read of the members before the first.
    fileprivate func hasOwner(_ audience: TreeKey) throws(TreeError) -> Bool {
        let members = Paths.audiences / audience / "members"
        let batch = 200
        var range = KeyRange.all
        while true {
            let page = try children(of: members, range: range, limit: batch)
            if page.contains(where: { $0.value.stringValue == AudienceRole.owner.rawValue }) { return true }
            guard page.count == batch, let last = page.last else { return false }
            range = .after(last.key)
        }
    }
}
