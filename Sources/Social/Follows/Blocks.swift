import API
package import Model
package import Tree

/// The blocks between people: at `blocking/{blocker}/{blocked}`, and by a derivation in `blocked`.
package struct Blocks: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    /// Blocks a person; this ends the follows between the two (``BlockedFollows``).
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: The position in the change log just after it.
    /// - Throws: `Failure` with the code `oneself`, `not_found` or `key_reused`.
    package func block(_ blocker: UserID, _ blocked: UserID, as key: RequestKey? = nil) async throws -> SyncToken {
        guard blocker != blocked else { throw Failure.oneself("blocks") }
        return try await tree.transact(once: key) { snapshot, update in
            guard try snapshot.exists(PeopleNodes.person(blocked)) else { throw Failure.noPerson(blocked) }
            let mark = PeopleNodes.blocking(blocker) / blocked.key
            if try !snapshot.exists(mark) { update[mark] = true }
        }.token
    }

    /// Removes a block. The follows that it ended are not restored.
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: The position in the change log just after it.
    /// - Throws: `Failure` with the code `key_reused`.
    package func unblock(_ blocker: UserID, _ blocked: UserID, as key: RequestKey? = nil) async throws -> SyncToken {
        try await tree.transact(once: key) { snapshot, update in
            let mark = PeopleNodes.blocking(blocker) / blocked.key
            if try snapshot.exists(mark) { update[mark] = nil }
        }.token
    }

    /// Returns the stored times of a block; nil for none.
    package func times(of blocker: UserID, _ blocked: UserID) async throws -> EntityTimes? {
        try await tree.snapshot { snapshot in
            guard try snapshot.exists(PeopleNodes.blocking(blocker) / blocked.key) else { return nil }
            return try EntityTimes(at: TimeNodes.blocking(blocker, blocked), in: snapshot)
        }
    }

    /// Returns a page of the people whom a person has blocked, in the order of their ids.
    package func blocked(by uid: UserID, after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage {
        try await People(tree).list(PeopleNodes.blocking(uid), after: cursor, limit: limit)
    }
}
