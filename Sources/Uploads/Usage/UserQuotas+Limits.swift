package import API
package import Model
package import Tree

extension UserQuotas {
    /// Returns the number of bytes that a user may store; nil for no limit.
    package static func limit(
        of user: UserID, standard: StandardQuotas, in snapshot: TreeSnapshot
    ) throws(TreeError) -> Quota? {
        guard let own = try snapshot.get(UsageNodes.quota(user)) else {
            let group = try group(of: user, in: snapshot)
            return standard[group]
        }
        return own.integerValue.map { Quota(Int(clamping: $0), for: .user) }
    }

    private static func group(of user: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> QuotaScope? {
        try snapshot.get(UsageNodes.quotaGroup(user))?.stringValue.flatMap(QuotaScope.init(rawValue:))
    }

    /// Adds to an update the user's new group; nil removes the user from a group.
    package static func setGroup(
        _ group: QuotaScope?, of user: UserID, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        guard try self.group(of: user, in: snapshot) != group else { return }
        update[UsageNodes.quotaGroup(user)] = group.map { .string($0.rawValue) }
    }
}
