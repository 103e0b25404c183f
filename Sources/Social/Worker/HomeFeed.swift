package import Model
package import Tree

/// The home feeds: each with the posts of its reader and of the reader's followees.
package struct HomeFeed: Sendable {
    private let tree: TreeStore
    private let tasks: FollowUpTaskWorker
    private let bounds: FeedBounds

    package init(_ tree: TreeStore, tasks: FollowUpTaskWorker) {
        self.init(tree, tasks: tasks, FeedBounds())
    }

    init(_ tree: TreeStore, tasks: FollowUpTaskWorker, _ bounds: FeedBounds) {
        self.tree = tree
        self.tasks = tasks
        self.bounds = bounds
    }

    /// Returns a page of a home feed, the last published first, and the corrections of the stored feed that the reading
    /// has shown.
    ///
    /// The page already contains the missing posts. The caller passes the corrections to ``write(_:)`` after the
    /// response, so that the response does not wait for it. If they are lost, the next reading finds them again. Only
    /// the very first reading is written before the response, with the follow-up task that adds older posts.
    ///
    /// - Parameters:
    ///   - cursor: The position before which the page begins; nil for the newest post.
    ///   - view: The data to include with the posts.
    package func page(
        of reader: UserID, before cursor: PostPosition?, limit: Int, _ view: FeedView
    ) async throws -> (page: FeedPage, upkeep: FeedUpkeep?) {
        let (reading, list) = try await read(reader, before: cursor, limit: limit, view)
        guard list.isFirstReading || list.hasTask else { return reading }
        if list.isFirstReading { try await FeedSync(tree, bounds).bringUpToDate(reader) }
        // Posts of a follow-up task that ends during the reading may be missing from the page.
        let areJobsDone = try await advanceJobs(of: reader)
        var (page, upkeep) = try await read(reader, before: cursor, limit: limit, view).reading
        page.isComplete = page.isComplete && areJobsDone
        return (page, upkeep)
    }

    private func read(
        _ reader: UserID, before cursor: PostPosition?, limit: Int, _ view: FeedView
    ) async throws -> (reading: (page: FeedPage, upkeep: FeedUpkeep?), list: HomeFeedPosts) {
        try await FeedReader(tree).page(
            of: { snapshot in try HomeFeedPosts(of: reader, before: cursor, bounds, in: snapshot) }, before: cursor,
            limit: limit, view
        ) { list, snapshot in
            FeedFilter(of: reader, knowing: list.missing?.posts ?? [], view, in: snapshot)
        } finish: { page, list in
            var page = page
            page.isComplete = list.missing?.isComplete ?? true
            return ((page, FeedUpkeep(of: reader, lacking: list.missing, superfluous: page.posts.hidden)), list)
        }
    }

    /// Writes the corrections of a reading.
    package func write(_ upkeep: FeedUpkeep) async throws {
        if let missing = upkeep.missing { try await FeedSync(tree, bounds).write(missing, to: upkeep.reader) }
        try await remove(upkeep.superfluous, from: upkeep.reader)
    }

    /// Advances the follow-up tasks that add posts to a feed by a few steps, so that the newest posts of a new followee
    /// are present.
    ///
    /// - Returns: Whether none is pending.
    private func advanceJobs(of reader: UserID) async throws -> Bool {
        for _ in 0..<bounds.maxSteps {
            guard let task = try await tree.snapshot({ try PendingFollowUpTask.first(for: reader, in: $0) }) else {
                return true
            }
            guard try await tasks.step(task) else { return false }
        }
        return try await tree.snapshot { try PendingFollowUpTask.first(for: reader, in: $0) == nil }
    }

    /// Removes entries that a reading has skipped because the post no longer exists or its author is no longer
    /// followed. Follow-up tasks remove most of them, but not those of a post whose author was unfollowed before it was
    /// deleted or got another author.
    private func remove(_ posts: [ListedPost], from reader: UserID) async throws {
        guard !posts.isEmpty else { return }
        try await tree.transact { snapshot, update in
            for post in posts {
                let place = try PublicationEntry(of: post.id, in: snapshot)
                var isWanted = false
                if let author = place?.author {
                    isWanted = try author == reader || snapshot.exists(PeopleNodes.following(reader) / author.key)
                }
                let row = FeedNodes.home(reader) / post.position.key
                if !isWanted || place?.position != post.position, try snapshot.exists(row) { update[row] = nil }
                let entry = FeedNodes.entry(reader) / post.id
                if !isWanted, try snapshot.exists(entry) { update[entry] = nil }
            }
        }
    }
}

/// The corrections of a home feed that a reading has shown.
package struct FeedUpkeep: Sendable {
    let reader: UserID
    /// The missing posts; nil if writing them is not worthwhile.
    let missing: NewPosts?
    /// The entries to remove.
    let superfluous: [ListedPost]

    /// Creates the corrections; nil if there are none.
    init?(of reader: UserID, lacking missing: NewPosts?, superfluous: [ListedPost]) {
        self.reader = reader
        self.missing = missing.flatMap { $0.isWorthWriting ? $0 : nil }
        self.superfluous = Array(superfluous.prefix(FollowUpTaskStep.maxWrites / 2))
        if self.missing == nil, superfluous.isEmpty { return nil }
    }
}

extension PendingFollowUpTask {
    /// Returns a follow-up task that adds posts to a home feed; nil if the feed is complete up to its mark.
    static func first(for reader: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> PendingFollowUpTask? {
        let prefix = "\(reader) "
        let follow = try snapshot.children(
            of: FollowUpTaskKind.backfill.path, range: .from(TreeKey(unchecked: prefix)), limit: 1
        ).first
        if let follow, follow.key.string.hasPrefix(prefix) { return PendingFollowUpTask(.backfill, follow) }
        let home = try snapshot.get(FollowUpTaskKind.home.path / reader.key)
        return home.map { PendingFollowUpTask(.home, TreeChild(key: reader.key, value: $0)) }
    }
}
