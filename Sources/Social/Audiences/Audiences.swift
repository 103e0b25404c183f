package import API
package import Model
package import Tree

/// Creates and changes audiences, for their owners and admins. Derivations maintain memberships and audience feeds.
package struct Audiences: Sendable {
    /// The largest number of members of an audience.
    package static let maxMembers = AudienceRole.maxMembers

    let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// A change of an audience.
    package struct Change: Sendable {
        package var name: String?
        package var kind: Audience.Kind?
        /// The roles of all members; nil for no change.
        package var members: [UserID: AudienceRole]?

        package init() {}
    }

    /// The outcome of a request: whether it had been carried out before, by its key, so that this time it had no effect;
    /// and a position in the change log after its effect.
    package typealias Outcome = (isRepeated: Bool, token: SyncToken)

    /// Creates an audience, or replaces its data. The creator becomes an owner.
    ///
    /// - Parameters:
    ///   - change: The change, with a name and a kind.
    ///   - key: The key of the request; a repeated request has no effect.
    /// - Returns: Whether it is new, nil for a repeated request, and the position in the change log just after it.
    /// - Throws: `Failure` with the code `not_member` or `not_allowed` for a requester who does not own it,
    ///   `wrong_state` for an audience without an owner, or with the id of a deleted audience, `blocked`, or
    ///   `bad_audience` for too many members, `key_reused` for the key of another request.
    package func put(
        _ id: AudienceID, _ change: Change, by actor: AudienceActor, as key: RequestKey? = nil
    ) async throws -> (isNew: Bool?, token: SyncToken) {
        let (isNew, token) = try await tree.transact(once: key) { snapshot, update in
            let isNew = try !snapshot.exists(AudienceNodes.audience(id))
            var change = change
            if isNew {
                guard try !snapshot.exists(AudienceNodes.used(id.key)),
                    try !snapshot.exists(FollowUpTaskKind.deleteAudience.path / id.key)
                else {
                    throw Failure(
                        .wrongState, "there was an audience \(id), which was deleted: an id is used once",
                        hint: "Choose another id.")
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

    /// Changes the data of an audience, field by field.
    ///
    /// - Throws: The errors of ``put(_:_:by:as:)``, and for an admin `not_found` if the audience does not exist.
    package func change(
        _ id: AudienceID, _ change: Change, by actor: AudienceActor, as key: RequestKey? = nil
    ) async throws -> Outcome {
        let outcome = try await tree.transact(once: key) { snapshot, update in
            try snapshot.requireOwner(actor, of: id)
            try Self.write(change, to: id, by: actor, in: snapshot, &update)
        }
        return (outcome.result == nil, outcome.token)
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

    /// Adds a member to an audience, or changes a member's role.
    ///
    /// - Throws: The errors of ``put(_:_:by:as:)``; `Failure` with the code `wrong_state` for the last owner.
    package func setMember(
        _ uid: UserID, to role: AudienceRole, of id: AudienceID, by actor: AudienceActor, as key: RequestKey? = nil
    ) async throws -> Outcome {
        let outcome = try await tree.transact(once: key) { snapshot, update in
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
        }
        return (outcome.result == nil, outcome.token)
    }

    /// Removes a member: owners may remove all members, and members themselves. Does nothing for a non-member.
    ///
    /// - Throws: `Failure` with the code `wrong_state` for the last owner, `key_reused` for the key of another request.
    package func removeMember(
        _ uid: UserID, of id: AudienceID, by actor: AudienceActor, as key: RequestKey? = nil
    ) async throws -> Outcome {
        let outcome = try await tree.transact(once: key) { snapshot, update in
            if actor.uid != uid { try snapshot.requireOwner(actor, of: id) }
            guard let role = try snapshot.role(of: uid, in: id) else { return }
            if role == .owner { try snapshot.requireOtherOwner(than: uid, of: id) }
            update[AudienceNodes.member(id) / uid.key] = nil
        }
        return (outcome.result == nil, outcome.token)
    }

    /// Deletes an audience: its feed at once, and later the posts that were for no other audience.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect, and does not fail because the audience
    ///   is gone.
    package func remove(
        _ id: AudienceID, by actor: AudienceActor, as key: RequestKey? = nil
    ) async throws -> SyncToken {
        try await tree.transact(once: key) { snapshot, update in
            try snapshot.requireOwner(actor, of: id)
            update[AudienceNodes.audience(id)] = nil
        }.token
    }

    /// Removes a post from an audience, for an owner of the audience, the post's author, and admins; without an
    /// audience left, the post is deleted.
    ///
    /// - Returns: Whether it was the last, and the position in the change log just after it.
    /// - Throws: `Failure` with the code `not_found` if the post is not in the audience.
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
                    .notFound, "\(id) has no post \(post)", hint: "List them with GET /v1/audiences/{id}/posts.")
            }
            update[path / "audiences" / id.key] = nil
            return try snapshot.childCount(of: path / "audiences") == 1
        }
        return (isDeleted, token)
    }
}

extension TreeSnapshot {
    /// Checks that the requester owns an audience.
    ///
    /// - Throws: `Failure` with the code `not_member`, `not_allowed`, or for an admin `not_found`.
    fileprivate func requireOwner(_ actor: AudienceActor, of id: AudienceID) throws {
        guard let uid = actor.uid else {
            guard try exists(AudienceNodes.audience(id)) else { throw Failure.noAudience(id) }
            return
        }
        switch try role(of: uid, in: id) {
        case .owner: return
        case .poster, .reader: throw Failure.notAllowed("change an audience that is not yours")
        case nil: throw Failure.notMember(of: id)
        }
    }

    fileprivate func requireOtherOwner(than uid: UserID, of id: AudienceID) throws {
        let members = try get(AudienceNodes.member(id))?.object ?? [:]
        guard members.contains(where: { $0.key != uid.key && $0.value == .string(AudienceRole.owner.rawValue) }) else {
            throw Failure.noOwner(id)
        }
    }

    /// Checks that a person has not blocked the requester who makes them a member.
    fileprivate func requireOpen(_ uid: UserID, to actor: AudienceActor, in id: AudienceID) throws {
        guard let maker = actor.uid, maker != uid, try role(of: uid, in: id) == nil,
            try exists(PeopleNodes.blocking(uid) / maker.key)
        else { return }
        throw Failure(
            .blocked, "\(maker) cannot make \(uid) a member: \(uid) has blocked them",
            hint: "Let another owner add the member.")
    }
}

extension Failure {
    /// Returns the refusal of an audience that does not exist, for a requester who may learn this.
    package static func noAudience(_ id: AudienceID) -> Failure {
        Failure(.notFound, "the audience \(id) does not exist", hint: "Create one with PUT /v1/audiences/{id}.")
    }

    /// Returns the refusal of an audience for a non-member, whether it exists or not.
    package static func notMember(of id: AudienceID) -> Failure {
        Failure(
            .notMember, "you are not a member of any audience \(id)", hint: "List yours with GET /v1/audiences.")
    }

    fileprivate static func noOwner(_ id: AudienceID) -> Failure {
        Failure(
            .wrongState, "the audience \(id) would lose its last owner",
            hint: "Make another member an owner first, or delete the audience.")
    }

    fileprivate static func tooManyMembers(_ id: AudienceID) -> Failure {
        Failure(
            .badAudience, "the audience \(id) would have more than \(Audiences.maxMembers) members",
            hint: "Create another audience.")
    }
}
