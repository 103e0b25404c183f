import API
package import Model
package import Tree

/// What a member of an audience may do.
package enum AudienceRole: String, Sendable, CaseIterable {
    /// Reads, posts, and changes the audience and its members.
    case owner
    /// Reads and posts.
    case poster
    /// Reads.
    case reader

    package var mayPost: Bool { self != .reader }

    /// Reads what stands at a member; nil when it is none of these.
    init?(_ state: NodeState) {
        guard case .leaf(.string(let text)) = state else { return nil }
        self.init(rawValue: text)
    }
}

extension TreeSnapshot {
    /// What somebody may do in an audience; nil for who is no member, and where there is no such audience.
    package func role(of uid: UserID, in audience: AudienceID) throws(TreeError) -> AudienceRole? {
        try get(AudienceNodes.member(audience) / uid.key)?.stringValue.flatMap { AudienceRole(rawValue: $0) }
    }

    /// Sees to it that somebody may post for all of these audiences.
    ///
    /// - Throws: `Failure` with the code `not_member` for who is no member of one of them, which may not be there,
    ///   `not_allowed` for who only reads it.
    package func requirePoster(_ uid: UserID, for audiences: [AudienceID]) throws {
        for audience in audiences {
            switch try role(of: uid, in: audience) {
            case .owner, .poster: break
            case .reader:
                throw Failure(
                    .notAllowed, "\(uid) may read what is posted for \(audience), and not post",
                    hint: "an owner of the audience can change that: PUT /v1/audiences/{id}/members/{uid}")
            case nil:
                throw Failure(
                    .notMember, "there is no audience \(audience) of which \(uid) is a member",
                    hint: "GET /v1/audiences lists them; an owner can add a member")
            }
        }
    }

    /// The first of the audiences for which a post is that somebody is a member of; nil for none.
    package func commonAudience(of uid: UserID, and post: TreeValue?) throws(TreeError) -> AudienceID? {
        for audience in PostAudiences.named(by: post) where try role(of: uid, in: audience) != nil { return audience }
        return nil
    }
}
