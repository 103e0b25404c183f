package import Model
package import Tree

/// A page of audiences, in the order of their ids.
package struct AudiencePage: Sendable {
    package let audiences: [Audience]
    /// The id after which the next page begins; nil on the last page.
    package let next: TreeKey?
    /// The position in the change log of the state that was read.
    package let token: SyncToken
}

extension Audiences {
    /// Returns a page of the audiences that a person is a member of; for nil, of all audiences.
    package func page(of uid: UserID?, after cursor: TreeKey?, limit: Int) async throws -> AudiencePage {
        try await tree.snapshot { snapshot in
            let list = uid.map { AudienceNodes.membership($0) } ?? AudienceNodes.audience()
            // A further key shows whether another page follows.
            let keys = try snapshot.keys(of: list, range: cursor.map { .after($0) } ?? .all, limit: limit + 1)
            var audiences: [Audience] = []
            for key in keys.prefix(limit) {
                guard let id = AudienceID(key.string), let audience = try Audience(id, for: uid, in: snapshot) else {
                    continue
                }
                audiences.append(audience)
            }
            return AudiencePage(
                audiences: audiences, next: keys.count > limit ? keys[limit - 1] : nil, token: try snapshot.token)
        }
    }

    /// An audience with all its members.
    package struct Whole: Sendable {
        package let audience: Audience
        /// The roles of the members, by their ids.
        package let members: [String: AudienceRole]
        /// The stored times of the members' roles, by their ids.
        package let memberTimes: [String: EntityTimes]
    }

    /// Returns an audience with all its members, for a requester; nil if it does not exist.
    package func audience(_ id: AudienceID, for uid: UserID?) async throws -> Whole? {
        try await tree.snapshot { snapshot in
            guard let audience = try Audience(id, for: uid, in: snapshot) else { return nil }
            let members = try snapshot.children(of: AudienceNodes.member(id), limit: Self.maxMembers).compactMap {
                row in
                row.value.stringValue.flatMap { AudienceRole(rawValue: $0) }.map { (row.key.string, $0) }
            }
            var times: [String: EntityTimes] = [:]
            for row in try snapshot.children(of: TimeNodes.member(id), limit: Self.maxMembers) {
                times[row.key.string] = EntityTimes(row.value)
            }
            return Whole(
                audience: audience, members: Dictionary(uniqueKeysWithValues: members), memberTimes: times)
        }
    }

    /// Returns the role of a member with its stored times; nil for others.
    package func membership(
        of uid: UserID, in id: AudienceID
    ) async throws -> (role: AudienceRole, times: EntityTimes)? {
        try await tree.snapshot { snapshot in
            guard let role = try snapshot.role(of: uid, in: id) else { return nil }
            return (role, try EntityTimes(at: TimeNodes.member(id, uid), in: snapshot))
        }
    }
}
