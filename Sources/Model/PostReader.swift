package import Tree

/// Reads posts and people as they are shown.
package struct PostReader: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) {
        self.tree = tree
    }

    /// Reads a page of a list in the order of publication, the newest first.
    ///
    /// It has `limit` posts unless there are no more. Records that are not posts are skipped, however many there are:
    /// in several states of the tree, so that none is held for long. Positions never change, so that no post is left
    /// out or repeated. Cancelling the task ends the read.
    ///
    /// - Parameters:
    ///   - list: The list, in one state of the tree.
    ///   - cursor: The position before which the page begins; nil for the newest post.
    ///   - bounds: The approximate number of posts to skip; then the page is shorter than it could be, and reports that
    ///     more may follow.
    ///   - filter: Creates, for one state of the tree, the filter of the posts of the list.
    ///   - finish: Creates the result from the page, in the state in which it was completed, with the list of that
    ///     state.
    package func page<List: PostList, Filter: PostFilter, Result: Sendable>(
        of list: @Sendable (TreeSnapshot) throws -> List, before cursor: PostPosition?, limit: Int,
        _ bounds: PageBounds, filter: @Sendable (List, TreeSnapshot) -> Filter,
        finish: @Sendable (PostPage, List, TreeSnapshot) throws -> Result
    ) async throws -> Result {
        try await tree.page(PostPage()) { page, snapshot in
            let list = try list(snapshot)
            var filter = filter(list, snapshot)
            let isComplete = try page.readOn(in: list, before: cursor, limit: limit, from: snapshot, by: &filter)
            if !isComplete {
                guard page.isCutShort(by: bounds) else { return nil }
                page.hasMore = true
            }
            return try finish(page, list, snapshot)
        }
    }

    /// Reads a page of a list of the posts for everybody.
    ///
    /// - Parameter list: Posts by their positions.
    package func page(of list: TreePath, before cursor: PostPosition?, limit: Int) async throws -> PostPage {
        try await page(of: { _ in StoredPostList(list) }, before: cursor, limit: limit, .unbounded) { _, _ in
            EveryPost()
        } finish: { page, _, _ in
            page
        }
    }

    /// Reads the page with one post, or with none.
    package func page(of id: PostID?) async throws -> PostPage {
        try await tree.snapshot { snapshot in try PostPage(of: id, in: snapshot) }
    }

    /// Returns the position of a post in the order of publication; nil if the post does not exist.
    package func position(of id: TreeKey) async throws -> PostPosition? {
        try await tree.snapshot { snapshot in try snapshot.position(ofPost: id) }
    }

    /// Whether there is a value at `posts/{id}`.
    func exists(_ id: TreeKey) async throws -> Bool {
        try await tree.snapshot { snapshot in try snapshot.exists(PostNodes.post() / id) }
    }

    /// Returns the value at `posts/{id}`; nil for none.
    func record(at id: TreeKey) async throws -> TreeValue? { try await tree.get(PostNodes.post() / id) }

    /// Returns the record of a post, whether it can be shown or not; nil if there is none.
    package func record(of id: PostID) async throws -> TreeValue? { try await tree.get(PostNodes.post(id)) }

    /// Returns the person at `people/{uid}`; nil for none.
    package func person(_ uid: UserID) async throws -> Person? {
        try await tree.snapshot { snapshot in
            guard try snapshot.exists(PeopleNodes.person(uid)) else { return nil }
            // The id replaces a name that is missing or cannot be read.
            let (fullName, picture) = try snapshot.nameAndPicture(of: uid)
            return Person(uid: uid, fullName: fullName, profilePicture: picture)
        }
    }
}
