package import API
package import Posts
package import Tree

extension Paths {
    /// The group of a user whose account is self-made: `signed-up` or `anonymous`.
    fileprivate static func quotaGroup(of user: UserID) -> TreePath {
        TreePath(["quota_groups", user.key], in: .pipeline)
    }
}

extension UserQuotas {
    /// The number of bytes that a user may store; nil for as many as there is room for.
    package static func limit(
        of user: UserID, standard: StandardQuotas, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Quota? {
        guard let own = try snapshot.get(Paths.quota(of: user)) else {
            let group = try group(of: user, in: snapshot)
            return standard[group]
        }
        return own.integerValue.map { Quota(Int(clamping: $0), for: .user) }
    }

    private static func group(of user: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> QuotaScope? {
        try snapshot.get(Paths.quotaGroup(of: user))?.stringValue.flatMap(QuotaScope.init(rawValue:))
    }

    /// Adds to an update the group that a user is in from then on; nil for none.
    package static func setGroup(
        _ group: QuotaScope?, of user: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        guard try self.group(of: user, in: snapshot) != group else { return }
        update[Paths.quotaGroup(of: user)] = group.map { .string($0.rawValue) }
    }
}
