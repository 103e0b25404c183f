import API
package import Model
package import Tree

extension AudienceRole {
    /// Reads the role stored at a member; nil for an invalid value.
    init?(_ state: NodeState) {
        guard case .leaf(.string(let text)) = state else { return nil }
        self.init(rawValue: text)
    }
}

extension TreeSnapshot {
    /// Returns a person's role in an audience; nil for non-members, and if the audience does not exist.
    package func role(of uid: UserID, in audience: AudienceID) throws(TreeError) -> AudienceRole? {
        try get(AudienceNodes.member(audience) / uid.key)?.stringValue.flatMap { AudienceRole(rawValue: $0) }
    }

    /// Checks that a person may post for all of these audiences.
    ///
    /// - Throws: `Failure` with the code `not_member` if the person is not a member of one of them, which may not
    ///   exist, `not_allowed` for a reader.
    package func requirePoster(_ uid: UserID, for audiences: [AudienceID]) throws {
        for audience in audiences {
            switch try role(of: uid, in: audience) {
            case .owner, .poster: break
            case .reader:
                throw Failure(
                    .notAllowed, "\(uid) may read the posts for \(audience), but may not post",
                    hint: "Let an owner of the audience change that with PUT /v1/audiences/{id}/members/{uid}.")
            case nil:
                throw Failure(
                    .notMember, "no audience \(audience) has the member \(uid)",
                    hint: "List them with GET /v1/audiences, or let an owner add the member.")
            }
        }
    }

    /// Returns the first audience of a post that a person is a member of; nil for none.
    package func commonAudience(of uid: UserID, and post: TreeValue?) throws(TreeError) -> AudienceID? {
        for audience in PostAudiences.named(by: post) where try role(of: uid, in: audience) != nil { return audience }
        return nil
    }
}
