import API
package import Model
package import Tree

/// The follows between people: at `people/{follower}/following/{followee}`, and by a derivation in `followers`.
package struct Follows: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Adds a follow; an existing one stays with its mark.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: The position in the change log just after it.
    /// - Throws: `Failure` with the code `oneself`, `not_found`, `blocked` or `key_reused`.
    package func follow(_ follower: UserID, _ followee: UserID, as key: RequestKey? = nil) async throws -> SyncToken {
        guard follower != followee else { throw Failure.oneself("follows") }
        return try await tree.transact(once: key) { snapshot, update in
            guard try snapshot.exists(PeopleNodes.person(followee)) else { throw Failure.noPerson(followee) }
            guard try !follower.hasBlock(with: followee, in: snapshot) else {
                throw Failure(
                    .blocked, "\(follower) cannot follow \(followee): one of them has blocked the other",
                    hint: "Let the person who blocked end that with DELETE /v1/people/{uid}/blocking/{blocked}.")
            }
            try snapshot.requireConsent(of: follower, toContent: false)
            let mark = PeopleNodes.following(follower) / followee.key
            if try !snapshot.exists(mark) { update[mark] = true }
        }.token
    }

    /// Removes a follow; does nothing if it does not exist.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: The position in the change log just after it.
    /// - Throws: `Failure` with the code `key_reused`.
    package func unfollow(_ follower: UserID, _ followee: UserID, as key: RequestKey? = nil) async throws -> SyncToken {
        try await tree.transact(once: key) { snapshot, update in
            let mark = PeopleNodes.following(follower) / followee.key
            if try snapshot.exists(mark) { update[mark] = nil }
        }.token
    }

    /// Returns the stored times of a follow; nil for none.
    package func times(of follower: UserID, _ followee: UserID) async throws -> EntityTimes? {
        try await tree.snapshot { snapshot in
            guard try snapshot.exists(PeopleNodes.following(follower) / followee.key) else { return nil }
            return try EntityTimes(at: TimeNodes.following(follower, followee), in: snapshot)
        }
    }

    /// Returns a page of the people whom a person follows, in the order of their ids; nil if the person does not exist.
    package func following(_ uid: UserID, after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage? {
        try await page(PeopleNodes.following(uid), of: uid, after: cursor, limit: limit)
    }

    /// Returns a page of a person's followers, in the order of their ids; nil if the person does not exist.
    package func followers(of uid: UserID, after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage? {
        try await page(PeopleNodes.follower(uid), of: uid, after: cursor, limit: limit)
    }

    private func page(
        _ list: TreePath, of uid: UserID, after cursor: PeopleCursor?, limit: Int
    ) async throws -> PeoplePage? {
        guard try await tree.snapshot({ try $0.exists(PeopleNodes.person(uid)) }) else { return nil }
        return try await People(tree).list(list, after: cursor, limit: limit)
    }
}

extension Failure {
    /// Returns the refusal of an action of a person on themselves.
    static func oneself(_ verb: String) -> Failure {
        Failure(.oneself, "nobody \(verb) themselves", hint: "Name another person.")
    }

    static func noPerson(_ uid: UserID) -> Failure {
        Failure(.notFound, "the person \(uid) does not exist", hint: "Find people with GET /v1/people?search=NAME.")
    }
}
