package import API
package import Model
package import Tree

/// Reads, changes and finds people's profiles.
package struct People: Sendable {
    private let tree: TreeStore
    private let leftovers: (any UploadCleanup)?

    /// - Parameter leftovers: People's data outside of the social data, for deletions.
    package init(_ tree: TreeStore, leftovers: (any UploadCleanup)? = nil) {
        self.tree = tree
        self.leftovers = leftovers
    }

    /// Returns a person's profile, as a reader sees it; nil if the person does not exist.
    package func profile(of uid: UserID, for reader: UserID?) async throws -> Profile? {
        try await tree.snapshot { snapshot in try Profile(of: uid, for: reader, in: snapshot) }
    }

    /// Changes a person's profile, and creates the person if they do not exist.
    ///
    /// Derivations update the forms by which the person is found, and the copies of the name in posts and comments
    /// (``NameIndex``, ``RenameTask``).
    ///
    /// - Parameter key: The key of the request; a repeated request has no effect.
    /// - Returns: Whether the person is new, and the position in the change log just after the change.
    /// - Throws: `Failure` with the code `wrong_state` while the person is being deleted, `key_reused` for the key of
    ///   another request.
    package func change(
        _ uid: UserID, _ change: ProfileChange, as key: RequestKey? = nil
    ) async throws -> (isNew: Bool, token: SyncToken) {
        let (isNew, token) = try await tree.transact(once: key) { snapshot, update in
            guard try !snapshot.exists(PersonDeletion.task(of: uid)) else { throw Failure.isBeingDeleted(uid) }
            change.write(to: &update, of: uid)
            return try !snapshot.exists(PeopleNodes.person(uid))
        }
        return (isNew ?? false, token)
    }

    /// Begins to delete a person with all data of theirs and about them, or continues to.
    ///
    /// - Returns: The record of the deletion so far.
    /// - Throws: `Failure` with the code `not_found` if the person has no data.
    package func delete(_ uid: UserID) async throws -> PersonDeletion {
        try await PersonDeletion.begin(of: uid, in: tree, leftovers)
    }

    /// Returns the record of a person's latest deletion; nil if there was none.
    package func deletion(of uid: UserID) async throws -> PersonDeletion? {
        try await tree.snapshot { snapshot in try PersonDeletion(of: uid, in: snapshot) }
    }

    /// Returns a page of all people, in the order of their ids.
    package func list(after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage {
        try await list(PeopleNodes.person(), after: cursor, limit: limit)
    }

    /// Returns a page of the people whose ids are the keys of a list, in the order of the ids.
    func list(_ path: TreePath, after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage {
        try await tree.page(PeoplePage()) { page, snapshot in
            try page.readOn(path, after: cursor, limit: limit, from: snapshot)
        }
    }

    /// Returns a page of the people whose name, or whose name with its words in reverse order, begins with a prefix:
    /// each person once, in the order of the matching forms, and people with the same name in the order of their ids.
    package func search(_ prefix: NamePrefix, after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage {
        try await tree.page(PeoplePage()) { page, snapshot in
            try page.readOn(prefix, after: cursor, limit: limit, from: snapshot)
        }
    }
}

extension Failure {
    /// Returns the refusal of new data for a person who is being deleted.
    package static func isBeingDeleted(_ uid: UserID) -> Failure {
        Failure(
            .wrongState, "\(uid) is being deleted",
            hint: "Wait until GET /v1/people/{uid}/deletion shows that it has ended.")
    }
}
