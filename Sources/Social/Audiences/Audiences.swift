package import API
package import Model
package import Tree

/// Makes and changes audiences, for their owners and admins. What follows from it, memberships and stories, derivations keep.
package struct Audiences: Sendable {
    /// The most members of one audience.
    package static let maxMembers = 5000

    let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// What is to be changed of an audience.
    package struct Change: Sendable {
        package var name: String?
        package var kind: Audience.Kind?
        /// All members, with what they may do; nil for those that there are.
        package var members: [UserID: AudienceRole]?

        package init() {}
    }

    /// Makes an audience, or replaces what is known of it. Who makes one becomes an owner.
    ///
    /// - Parameter change: Has a name and a kind.
    /// - Returns: Whether it is new, and the position in the change log just after it.
    /// - Throws: `Failure` with the code `not_member` or `not_allowed` for who does not own it, `wrong_state` for an audience
    ///   without an owner, or with the id of one that was deleted, `blocked`, or `bad_audience` for too many members.
    package func put(
        _ id: AudienceID, _ change: Change, by actor: AudienceActor
    ) async throws -> (isNew: Bool, token: SyncToken) {
        let (isNew, token) = try await tree.transact { snapshot, update in
            let isNew = try !snapshot.exists(AudienceNodes.audience(id))
            var change = change
            if isNew {
                guard try !snapshot.exists(AudienceNodes.used(id.key)),
                    try !snapshot.exists(FollowUpTaskKind.deleteAudience.path / id.key)
                else {
                    throw Failure(
                        .wrongState, "there was an audience \(id), which was deleted: an id is used once",
                        hint: "choose another id")
                }
                var members = change.members ?? [:]
                if let uid = actor.uid { members[uid] = .owner }
                change.members = members
            } else {
                try snapshot.requireOwner(actor, of: id)
            }
            try Self.write(change, to: id, by: actor, in: snapshot, &update)
            return isNew
        }
        return (isNew, token)
    }

    /// Changes what is known of an audience, field by field.
    ///
    /// - Throws: As ``put(_:_:by:)``, and `not_found` for an admin when it is not there.
    package func change(_ id: AudienceID, _ change: Change, by actor: AudienceActor) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            try snapshot.requireOwner(actor, of: id)
            try Self.write(change, to: id, by: actor, in: snapshot, &update)
        }.token
    }

    private static func write(
        _ change: Change, to id: AudienceID, by actor: AudienceActor, in snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws {
        let path = AudienceNodes.audience(id)
        if let name = change.name { update[path / "name"] = .string(name) }
        if let kind = change.kind { update[path / "kind"] = .string(kind.rawValue) }
        guard let members = change.members else { return }
        guard members.values.contains(.owner) else { throw Failure.noOwner(id) }
        guard members.count <= maxMembers else { throw Failure.tooManyMembers(id) }
        for uid in members.keys { try snapshot.requireOpen(uid, to: actor, in: id) }
        let records = members.map { ($0.key.key, TreeValue.string($0.value.rawValue)) }
        update[path / "members"] = .object(Dictionary(uniqueKeysWithValues: records))
    }

    /// Makes somebody a member of an audience, or changes what they may do.
    ///
    /// - Throws: `Failure` as ``put(_:_:by:)``, with the code `wrong_state` for the last owner.
    package func setMember(
        _ uid: UserID, to role: AudienceRole, of id: AudienceID, by actor: AudienceActor
    ) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            try snapshot.requireOwner(actor, of: id)
            let old = try snapshot.role(of: uid, in: id)
            guard old != role else { return }
            if old == .owner { try snapshot.requireOtherOwner(than: uid, of: id) }
            if old == nil {
                try snapshot.requireOpen(uid, to: actor, in: id)
                guard try snapshot.childCount(of: AudienceNodes.member(id)) < Self.maxMembers else {
                    throw Failure.tooManyMembers(id)
                }
            }
            update[AudienceNodes.member(id) / uid.key] = .string(role.rawValue)
        }.token
    }

    /// Has somebody be a member no more: an owner any member, and each member themselves. Who is none is none.
    ///
    /// - Throws: `Failure` with the code `wrong_state` for the last owner.
    package func removeMember(_ uid: UserID, of id: AudienceID, by actor: AudienceActor) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            if actor.uid != uid { try snapshot.requireOwner(actor, of: id) }
            guard let role = try snapshot.role(of: uid, in: id) else { return }
            if role == .owner { try snapshot.requireOtherOwner(than: uid, of: id) }
            update[AudienceNodes.member(id) / uid.key] = nil
        }.token
    }

    /// Deletes an audience: its story at once, and behind it the posts that were for no other.
    package func remove(_ id: AudienceID, by actor: AudienceActor) async throws -> SyncToken {
        try await tree.transact { snapshot, update in
            try snapshot.requireOwner(actor, of: id)
            update[AudienceNodes.audience(id)] = nil
        }.token
    }

    /// Takes a post away from an audience, for an owner of it, the post's author, and admins; with its last audience the
    /// post is deleted.
    ///
    /// - Returns: Whether it was the last, and the position in the change log just after it.
    /// - Throws: `Failure` with the code `not_found` when the audience does not have the post.
    package func removePost(
        _ post: PostID, from id: AudienceID, by actor: AudienceActor
    ) async throws -> (isDeleted: Bool, token: SyncToken) {
        let (isDeleted, token) = try await tree.transact { snapshot, update in
            let path = AudienceNodes.post(post)
            let author = try snapshot.get(path / "author" / "uid")?.stringValue
            if author == nil || author != actor.uid?.description { try snapshot.requireOwner(actor, of: id) }
            let audiences = PostAudiences.named(by: try snapshot.get(path))
            guard audiences.contains(id) else {
                throw Failure(
                    .notFound, "\(id) has no post \(post)", hint: "GET /v1/audiences/{id}/posts lists them")
            }
            update[path / "audiences" / id.key] = nil
            return try snapshot.childCount(of: path / "audiences") == 1
        }
        return (isDeleted, token)
    }
}

extension TreeSnapshot {
    /// Sees to it that somebody owns an audience.
    ///
    /// - Throws: `Failure` with the code `not_member`, `not_allowed`, or for an admin `not_found`.
    fileprivate func requireOwner(_ actor: AudienceActor, of id: AudienceID) throws {
        guard let uid = actor.uid else {
            guard try exists(AudienceNodes.audience(id)) else { throw Failure.noAudience(id) }
            return
        }
        switch try role(of: uid, in: id) {
        case .owner: return
        case .poster, .reader: throw Failure.notAllowed("change what an audience is that is not yours")
        case nil: throw Failure.notMember(of: id)
        }
    }

    fileprivate func requireOtherOwner(than uid: UserID, of id: AudienceID) throws {
        let members = try get(AudienceNodes.member(id))?.object ?? [:]
        guard members.contains(where: { $0.key != uid.key && $0.value == .string(AudienceRole.owner.rawValue) }) else {
            throw Failure.noOwner(id)
        }
    }

    /// Sees to it that somebody has not blocked whoever makes them a member.
    fileprivate func requireOpen(_ uid: UserID, to actor: AudienceActor, in id: AudienceID) throws {
        guard let maker = actor.uid, maker != uid, try role(of: uid, in: id) == nil,
            try exists(PeopleNodes.blocking(uid) / maker.key)
        else { return }
        throw Failure(
            .blocked, "\(maker) cannot make \(uid) a member: \(uid) has blocked them",
            hint: "another owner may be able to")
    }
}

extension Failure {
    /// The refusal of an audience that is not there, to somebody who may know.
    package static func noAudience(_ id: AudienceID) -> Failure {
        Failure(.notFound, "there is no audience \(id)", hint: "PUT /v1/audiences/{id} makes one")
    }

    /// The refusal of an audience to whoever is no member of it, whether it is there or not.
    package static func notMember(of id: AudienceID) -> Failure {
        Failure(
            .notMember, "there is no audience \(id) of which you are a member", hint: "GET /v1/audiences lists yours")
    }

    fileprivate static func noOwner(_ id: AudienceID) -> Failure {
        Failure(
            .wrongState, "the audience \(id) would have no owner any more",
            hint: "make somebody else an owner first, or delete the audience")
    }

    fileprivate static func tooManyMembers(_ id: AudienceID) -> Failure {
        Failure(
            .badAudience, "the audience \(id) would have more than \(Audiences.maxMembers) members",
            hint: "make one more audience")
    }
}
