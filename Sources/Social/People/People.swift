package import API
package import Model
package import Tree

/// Reads and writes what people say about themselves, and finds them.
package struct People: Sendable {
    private let tree: TreeStore
    private let leftovers: (any UploadCleanup)?

    /// - Parameter leftovers: What people may have left elsewhere, for whoever deletes them.
    package init(_ tree: TreeStore, leftovers: (any UploadCleanup)? = nil) {
        self.tree = tree
        self.leftovers = leftovers
    }

    /// Somebody's profile, as a reader sees it; nil when there is no such person.
    package func profile(of uid: UserID, for reader: UserID?) async throws -> Profile? {
        try await tree.snapshot { snapshot in try Profile(of: uid, for: reader, in: snapshot) }
    }

    /// Changes what somebody says about themselves, and creates the person where there is none.
    ///
    /// The forms by which the person is found, and the copies of the name in posts and comments, follow by themselves
    /// (``NameIndex``, ``RenameTask``).
    ///
    /// - Returns: Whether the person is new, and the position in the change log just after the change.
    /// - Throws: `Failure` with the code `wrong_state` while the person is being deleted.
    package func change(_ uid: UserID, _ change: ProfileChange) async throws -> (isNew: Bool, token: SyncToken) {
        let (isNew, token) = try await tree.transact { snapshot, update in
            guard try !snapshot.exists(PersonDeletion.task(of: uid)) else { throw Failure.isBeingDeleted(uid) }
            change.write(to: &update, of: uid)
            return try !snapshot.exists(PeopleNodes.person(uid))
        }
        return (isNew, token)
    }

    /// Begins to delete somebody with all that is of them or about them, or goes on with that.
    ///
    /// - Returns: What is known of it so far.
    /// - Throws: `Failure` with the code `not_found` when nothing of the person is there.
    package func delete(_ uid: UserID) async throws -> PersonDeletion {
        try await PersonDeletion.begin(of: uid, in: tree, leftovers)
    }

    /// What is known of the latest deletion of somebody; nil when there was none.
    package func deletion(of uid: UserID) async throws -> PersonDeletion? {
        try await tree.snapshot { snapshot in try PersonDeletion(of: uid, in: snapshot) }
    }

    /// A page of all people, in the order of their ids.
    package func list(after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage {
        try await list(PeopleNodes.person(), after: cursor, limit: limit)
    }

    /// A page of the people whose ids are the keys of a list, in their order.
    func list(_ path: TreePath, after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage {
        try await tree.page(PeoplePage()) { page, snapshot in
            try page.readOn(path, after: cursor, limit: limit, from: snapshot)
        }
    }

    /// A page of the people whose name, or whose name with its words in reverse, begins with something: each once, in
    /// the order of what begins so, and persons of one name in the order of their ids.
    package func search(_ prefix: NamePrefix, after cursor: PeopleCursor?, limit: Int) async throws -> PeoplePage {
        try await tree.page(PeoplePage()) { page, snapshot in
            try page.readOn(prefix, after: cursor, limit: limit, from: snapshot)
        }
    }
}

extension Failure {
    /// The refusal of what would begin anew for somebody who is being deleted.
    package static func isBeingDeleted(_ uid: UserID) -> Failure {
        Failure(
            .wrongState, "\(uid) is being deleted", hint: "GET /v1/people/{uid}/deletion tells when that has ended")
    }
}
