package import Model
package import Tree

/// The home feeds: what people see of themselves and of whom they follow.
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

    /// A page of a home feed, the last published first; and what it has shown that the feed lacks, or has too much.
    ///
    /// The page has what the feed lacks. Whoever has answered with it gives the rest to ``write(_:)``, so that nobody waits for
    /// that, and loses nothing when it is not done: the next reading finds the same. Only the first reading of all is written
    /// before it is answered, with the follow-up task that brings what is older.
    ///
    /// - Parameters:
    ///   - cursor: The position before which the page begins; nil for the newest post.
    ///   - view: What the page is to have beside the posts.
    package func page(
        of reader: UserID, before cursor: PostPosition?, limit: Int, _ view: FeedView
    ) async throws -> (page: FeedPage, upkeep: FeedUpkeep?) {
        let (reading, list) = try await read(reader, before: cursor, limit: limit, view)
        guard list.isFirstReading || list.hasTask else { return reading }
        if list.isFirstReading { try await FeedSync(tree, bounds).bringUpToDate(reader) }
        // What comes by a follow-up task that ends while the page is read may not be in the page.
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

    /// Writes what a reading has shown.
    package func write(_ upkeep: FeedUpkeep) async throws {
        if let missing = upkeep.missing { try await FeedSync(tree, bounds).write(missing, to: upkeep.reader) }
        try await remove(upkeep.superfluous, from: upkeep.reader)
    }

    /// Brings on the follow-up tasks that bring posts into a feed, a little: the newest posts of somebody who has just been
    /// followed are there then.
    ///
    /// - Returns: Whether none is left.
    private func advanceJobs(of reader: UserID) async throws -> Bool {
        for _ in 0..<bounds.maxSteps {
            guard let task = try await tree.snapshot({ try PendingFollowUpTask.first(for: reader, in: $0) }) else {
                return true
            }
            guard try await tasks.step(task) else { return false }
        }
        return try await tree.snapshot { try PendingFollowUpTask.first(for: reader, in: $0) == nil }
    }

    /// Removes entries that a reading has passed over as there is no such post any more, or nobody follows its author. Jobs
    /// remove most of them; not those of a post whose author was left before it was deleted or got another author.
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

/// What the reading of a home feed has shown that is to be written.
package struct FeedUpkeep: Sendable {
    let reader: UserID
    /// What the feed lacks; nil when that is not worth writing.
    let missing: NewPosts?
    /// What it should not have, or no longer.
    let superfluous: [ListedPost]

    /// Nil when there is nothing to do.
    init?(of reader: UserID, lacking missing: NewPosts?, superfluous: [ListedPost]) {
        self.reader = reader
        self.missing = missing.flatMap { $0.isWorthWriting ? $0 : nil }
        self.superfluous = Array(superfluous.prefix(FollowUpTaskStep.maxWrites / 2))
        if self.missing == nil, superfluous.isEmpty { return nil }
    }
}

extension PendingFollowUpTask {
    /// A follow-up task that brings posts into a home feed; nil when the feed has all that it should have up to its mark.
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
