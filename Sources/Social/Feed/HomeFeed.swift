package import Posts
package import Tree

/// The home feeds: what people see of themselves and of whom they follow.
package struct HomeFeed: Sendable {
    private let tree: TreeStore
    private let jobs: JobWorker
    private let bounds: FeedBounds

    package init(_ tree: TreeStore, jobs: JobWorker) {
        self.init(tree, jobs: jobs, FeedBounds())
    }

    init(_ tree: TreeStore, jobs: JobWorker, _ bounds: FeedBounds) {
        self.tree = tree
        self.jobs = jobs
        self.bounds = bounds
    }

    /// A page of a home feed, the last published first.
    ///
    /// Before the first page the feed is brought up to date.
    ///
    /// - Parameters:
    ///   - cursor: The position before which the page begins; nil for the newest post.
    ///   - view: What the page is to have beside the posts.
    package func page(
        of reader: UserID, before cursor: PostPosition?, limit: Int, _ view: FeedView
    ) async throws -> FeedPage {
        var isComplete = true
        var end: PostPosition?
        if cursor == nil {
            let sync = try await FeedSync(tree, bounds).bringUpToDate(reader)
            (isComplete, end) = (sync.isUpToDate, sync.end)
        }
        // What comes by a job that ends while the page is read may not be in the page.
        isComplete = try await advanceJobs(of: reader) && isComplete
        var page = try await FeedReader(tree).page(
            of: .home(reader), before: cursor, limit: limit, view, upTo: end)
        page.isComplete = isComplete
        try await tidy(page.posts.hidden, of: reader)
        return page
    }

    /// Brings on the jobs that bring posts into a feed, a little: the newest posts of somebody who has just been followed
    /// are there then.
    ///
    /// - Returns: Whether none is left.
    private func advanceJobs(of reader: UserID) async throws -> Bool {
        for _ in 0..<bounds.maxSteps {
            guard let job = try await tree.snapshot({ try PendingJob.first(for: reader, in: $0) }) else { return true }
            guard try await jobs.step(job) else { return false }
        }
        return try await tree.snapshot { try PendingJob.first(for: reader, in: $0) == nil }
    }

    /// Removes entries that a reading has passed over as there is no such post any more, or nobody follows its author. Jobs
    /// remove most of them; not those of a post whose author was left before it was deleted or got another author.
    private func tidy(_ posts: [ListedPost], of reader: UserID) async throws {
        let posts = posts.prefix(JobStep.maxWrites / 2)
        guard !posts.isEmpty else { return }
        try await tree.transact { snapshot, update in
            for post in posts {
                let place = try PostPlace(of: post.id, in: snapshot)
                var isWanted = false
                if let author = place?.author {
                    isWanted = try author == reader || snapshot.exists(Paths.following(reader) / author.key)
                }
                let row = Paths.home(reader) / post.position.key
                if !isWanted || place?.position != post.position, try snapshot.exists(row) { update[row] = nil }
                let entry = Paths.feed(reader) / post.id
                if !isWanted, try snapshot.exists(entry) { update[entry] = nil }
            }
        }
    }
}

extension PendingJob {
    /// A job that brings posts into a home feed; nil when the feed has all that it should have up to its mark.
    fileprivate static func first(for reader: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> PendingJob? {
        let prefix = "\(reader) "
        let follow = try snapshot.children(
            of: JobKind.backfill.path, range: .from(TreeKey(unchecked: prefix)), limit: 1
        ).first
        if let follow, follow.key.string.hasPrefix(prefix) { return PendingJob(.backfill, follow) }
        let home = try snapshot.get(JobKind.home.path / reader.key)
        return home.map { PendingJob(.home, TreeChild(key: reader.key, value: $0)) }
    }
}
