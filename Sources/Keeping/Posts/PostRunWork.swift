import API
import Concurrency
import Files
package import Model
import Social
import Store
import Tree
import Uploads

/// A job that goes through posts, one after the other, and changes files of theirs.
///
/// It keeps no notes: it looks at each post and sees whether it needs anything. Hence it can be stopped anywhere and
/// started again, and a second run does nothing. Posts are looked at in the order of their ids, so that whoever keeps the last
/// one's id can spare a second run the look at those before it.
package protocol PostRunWork: Sendable {
    var tools: PostTools { get }
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

extension PostRunWork {
    package var isLook: Bool { false }

    /// Does the job, telling how far it is after every post. Cancel the task to stop it; what was switched stays switched.
    ///
    /// - Parameters:
    ///   - start: How far an earlier run has come: this one goes on behind its position.
    ///   - pace: How many posts are worked on side by side, and how many are looked at in a second at most.
    /// - Throws: `CancellationError`, or a fault of the service. A post that cannot be changed, or whose files cannot be
    ///   written while others' can, is counted and passed over.
    package func run(
        from start: PostRunProgress = PostRunProgress(), at pace: PostRunPace = PostRunPace(),
        _ report: (PostRunProgress) async throws -> Void
    ) async throws -> PostRunProgress {
        var progress = start
        if progress.total == 0 { progress.total = try await count() }
        try await report(progress)
        let limiter = RateLimiter(perSecond: pace.postsPerSecond)
        let concurrency = pace.concurrency(workers: tools.scheduler.workers)
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
            if !isLook { await tools.disk.waitUntilOpen() }
            try Task.checkCancellation()
            do {
                let upload = try await tools.tree.snapshot { try ObjectLinks.upload(ofPost: id, in: $0) } ?? id
                return try await tools.garbage.locks.withLease(upload) { try await change(id) }
            } catch is PostChanged {
                continue
            } catch let error where error is CancellationError || (error as? TreeError)?.code == .closed {
                throw error
            } catch {
                guard await tools.disk.report(error) else { throw Failure(error) }
            }
        }
    }
}
