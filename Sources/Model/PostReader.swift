package import Tree

/// Reads posts and people as they are shown.
package struct PostReader: Sendable {
    private let tree: TreeStore

    package init(_ tree: TreeStore) {
        self.tree = tree
    }

    /// A page of a list in the order of publication, the newest first.
    ///
    /// It has `limit` posts unless there are no more. Records that are no posts are passed over, however many there are:
    /// in several states of the tree, so that none is held for long; positions never change, so that no post is left out
    /// or comes twice. Cancelling the task ends it.
    ///
    /// - Parameters:
    ///   - list: The list, in one state of the tree.
    ///   - cursor: The position before which the page begins; nil for the newest post.
    ///   - bounds: About how much is passed over; then the page is shorter than it could be, and says that more may follow.
    ///   - filter: What tells, in one state of the tree, which posts of the list are shown.
    ///   - finish: What is made of the page, in the state in which it was completed, with the list of that state.
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

    /// A page of a list of the posts for everybody.
    ///
    /// - Parameter list: Posts by their positions.
    package func page(of list: TreePath, before cursor: PostPosition?, limit: Int) async throws -> PostPage {
        try await page(of: { _ in StoredPostList(list) }, before: cursor, limit: limit, .unbounded) { _, _ in
            EveryPost()
        } finish: { page, _, _ in
            page
        }
    }

    /// The page with one post, or with none.
    package func page(of id: PostID?) async throws -> PostPage {
        try await tree.snapshot { snapshot in try PostPage(of: id, in: snapshot) }
    }

    /// The position of a post in the order of publication; nil when there is no such post.
    package func position(of id: TreeKey) async throws -> PostPosition? {
        try await tree.snapshot { snapshot in try snapshot.position(ofPost: id) }
    }

    /// Whether anything stands at `posts/{id}`.
    func exists(_ id: TreeKey) async throws -> Bool {
        try await tree.snapshot { snapshot in try snapshot.exists(PostNodes.post() / id) }
    }

    /// What stands at `posts/{id}`; nil when nothing does.
    func record(at id: TreeKey) async throws -> TreeValue? { try await tree.get(PostNodes.post() / id) }

    /// The record of a post, whether it can be shown or not; nil when there is none.
    package func record(of id: PostID) async throws -> TreeValue? { try await tree.get(PostNodes.post(id)) }

    /// Whoever `people/{uid}` is about; nil when nothing is there.
    package func person(_ uid: UserID) async throws -> Person? {
        try await tree.snapshot { snapshot in
            guard try snapshot.exists(PeopleNodes.person(uid)) else { return nil }
            // Who has no name that can be read goes by the id.
            let (fullName, picture) = try snapshot.nameAndPicture(of: uid)
            return Person(uid: uid, fullName: fullName, profilePicture: picture)
        }
    }
}
