package import Model
package import Tree

/// A page of audiences, in the order of their ids.
package struct AudiencePage: Sendable {
    package let audiences: [Audience]
    /// Behind which the next page begins; nil when this is the last.
    package let next: TreeKey?
    /// The position in the change log of the state that was read.
    package let token: SyncToken
}

extension Audiences {
    /// The audiences that somebody is a member of; all that there are for nil.
    package func page(of uid: UserID?, after cursor: TreeKey?, limit: Int) async throws -> AudiencePage {
        try await tree.snapshot { snapshot in
            let list = uid.map { AudienceNodes.membership($0) } ?? AudienceNodes.audience()
            // One more tells whether there are more.
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

    /// An audience with all its members, as somebody sees it; nil when it is not there.
    package func audience(
        _ id: AudienceID, for uid: UserID?
    ) async throws -> (audience: Audience, members: [String: AudienceRole])? {
        try await tree.snapshot { snapshot in
            guard let audience = try Audience(id, for: uid, in: snapshot) else { return nil }
            let members = try snapshot.children(of: AudienceNodes.member(id), limit: Self.maxMembers).compactMap {
                row in
                row.value.stringValue.flatMap { AudienceRole(rawValue: $0) }.map { (row.key.string, $0) }
            }
            return (audience, Dictionary(uniqueKeysWithValues: members))
        }
    }
}
