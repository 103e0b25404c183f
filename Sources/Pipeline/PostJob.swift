import API
import Concurrency
import Files
package import Posts
import Social
import Tree

/// A job that goes through posts, one after the other, and changes files of theirs.
///
/// It keeps no notes: it looks at each post and sees whether it needs anything. Hence it can be stopped anywhere and
/// started again, and a second run does nothing. Posts are looked at in the order of their ids, so that whoever keeps the last
/// one's id can spare a second run the look at those before it.
package protocol PostJob: Sendable {
    var service: UploadService { get }
    /// Whether it only looks, for which there need be no room on the disk.
    var isLook: Bool { get }

    /// The next posts to look at, in the order of their ids; none behind the last.
    func page(after position: PostID?) async throws -> [PostID]

    /// How many posts there are to look at. It is asked where nobody has counted them before.
    func count() async throws -> Int

    /// Changes one post, while nothing else replaces its files or deletes replaced ones; false when it needs nothing.
    ///
    /// - Throws: `Failure`, what is in the way of this one post; or a fault of the service.
    func change(_ id: PostID) async throws -> Bool
}

/// The progress of a job.
package struct PostJobProgress: Sendable, Hashable {
    /// How many posts the selection has in all.
    package var total = 0
    /// How many were looked at.
    package var done = 0
    /// How many were switched to other files.
    package var switched = 0
    package var failed = 0
    /// The reason of the last failure.
    package var lastFailure: String?
    /// The post that was looked at last.
    package var position: PostID?

    package init() {}
}

/// Posts by their ids, out of lists whose keys these are.
struct PostLists: Sendable {
    /// How many are read at a time.
    private static let page = 500

    let lists: [TreePath]
    /// Only posts made since then, and until then, in milliseconds since the epoch.
    var since: Int64?
    var until: Int64?

    /// All posts, for everybody and for audiences; with a user, those of that one.
    static func all(of user: UserID?) -> PostLists {
        PostLists(
            lists: [
                user.map(Paths.postsOf) ?? Paths.posts, user.map(Paths.audiencePosts(by:)) ?? Paths.audiencePosts,
            ])
    }

    /// The next posts in the order of their ids; none behind the last.
    func page(after position: PostID?, limit: Int = page, in tree: TreeStore) async throws -> [PostID] {
        var position = position
        while true {
            var keys: Set<TreeKey> = []
            for list in lists {
                keys.formUnion(try await tree.keys(of: list, range: range(after: position), limit: limit))
            }
            let page = keys.sorted().prefix(limit)
            let ids = page.compactMap { PostID($0.string) }
            guard ids.isEmpty, let last = page.last else { return ids }
            // Clients may have written other keys than ids: those are passed over.
            guard page.count == limit, let next = PostID(last.string) else { return [] }
            position = next
        }
    }

    /// How many there are: by the numbers that are kept of their days, whatever there is (``PostDays``).
    func count(in tree: TreeStore) async throws -> Int {
        try await tree.snapshot { snapshot in
            let version = try snapshot.get(Paths.socialVersion / "done")?.integerValue
            return try lists.reduce(0) { sum, list in
                try sum
                    + PostDays.count(
                        list, since: since, until: until, areKept: version == SocialDerivations.version, in: snapshot)
            }
        }
    }

    private func range(after position: PostID?) -> KeyRange {
        let range = PostDays.range(since: since, until: until)
        return KeyRange(lower: position.map { .excluding($0.key) } ?? range.lower, upper: range.upper)
    }
}

extension PostJob {
    package var isLook: Bool { false }

    /// Does the job, telling how far it is after every post. Cancel the task to stop it; what was switched stays switched.
    ///
    /// - Parameters:
    ///   - start: How far an earlier run has come: this one goes on behind its position.
    ///   - pace: How many posts are worked on side by side, and how many are looked at in a second at most.
    /// - Throws: `CancellationError`, or a fault of the service. A post that cannot be changed, or whose files cannot be
    ///   written while others' can, is counted and passed over.
    package func run(
        from start: PostJobProgress = PostJobProgress(), at pace: PostJobPace = PostJobPace(),
        _ report: (PostJobProgress) async throws -> Void
    ) async throws -> PostJobProgress {
        var progress = start
        if progress.total == 0 { progress.total = try await count() }
        try await report(progress)
        let limiter = RateLimiter(perSecond: pace.postsPerSecond)
        let concurrency = pace.concurrency(workers: service.scheduler.workers)
        while true {
            let ids = try await page(after: progress.position)
            guard !ids.isEmpty else {
                // Some may have gone since they were counted.
                guard progress.total != progress.done else { return progress }
                progress.total = progress.done
                try await report(progress)
                return progress
            }
            try await forEachConcurrently(ids, concurrency: concurrency) { id in
                try await limiter.pass(1)
                return (id, await outcome(of: id))
            } _: { id, outcome in
                switch outcome {
                case .success(let isSwitched): progress.switched += isSwitched ? 1 : 0
                case .failure(let error as Failure):
                    progress.failed += 1
                    progress.lastFailure = "post \(id): \(error)"
                case .failure(let error): throw error
                }
                progress.done += 1
                progress.total = max(progress.total, progress.done)
                progress.position = id
                try await report(progress)
            }
        }
    }

    private func outcome(of id: PostID) async -> Result<Bool, any Error> {
        do { return .success(try await changeWhenPossible(id)) } catch { return .failure(error) }
    }

    /// Changes one post, once the disk allows it.
    ///
    /// - Throws: `Failure`, what is in the way of this one post.
    private func changeWhenPossible(_ id: PostID) async throws -> Bool {
        while true {
            if !isLook { await service.disk.waitUntilOpen() }
            try Task.checkCancellation()
            do {
                let upload = try await service.tree.snapshot { try $0.linkedUpload(ofPost: id) } ?? id
                return try await service.garbage.locks.withLease(upload) { try await change(id) }
            } catch is PostChanged {
                continue
            } catch let error where error is CancellationError || (error as? TreeError)?.code == .closed {
                throw error
            } catch {
                guard await service.disk.report(error) else { throw Failure(error) }
            }
        }
    }
}

/// Somebody has changed a post's photos while a job was about to: what is to be done is decided anew.
struct PostChanged: Error {}

/// How fast a job goes.
package struct PostJobPace: Sendable, Hashable {
    /// How many posts are worked on side by side; nil for as many as keep all workers busy.
    package var concurrency: Int?
    /// How many posts are looked at in a second at most; nil for as many as can be.
    package var postsPerSecond: Int?

    package init() {}

    /// How many posts are worked on side by side. While one waits for the disk, another one is rendered.
    func concurrency(workers: Int) -> Int { concurrency ?? 2 * workers }
}
