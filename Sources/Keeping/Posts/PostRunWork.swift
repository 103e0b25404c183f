import API
import Concurrency
import Files
package import Model
import Social
import Store
import Tree
import Uploads

/// A job that processes posts one after the other and changes their files.
///
/// It keeps no state of its own: it examines each post and decides whether the post needs anything. Therefore it can be
/// stopped at any point and started again, and a second run changes nothing. Posts are processed in the order of their
/// ids, so that a caller that keeps the last id can start the second run after it.
package protocol PostRunWork: Sendable {
    var tools: PostTools { get }
    /// Whether the job changes nothing, and so needs no free space on the disk.
    var isLook: Bool { get }

    /// Returns the next posts to process, in the order of their ids; empty after the last.
    func page(after position: PostID?) async throws -> [PostID]

    /// Returns the number of posts to process. It is called only if the progress has no total yet.
    func count() async throws -> Int

    /// Changes one post, while nothing else replaces its files or deletes replaced ones; returns false if the post
    /// needs no change.
    ///
    /// - Throws: `Failure` if this one post cannot be changed; other errors for a fault of the service.
    func change(_ id: PostID) async throws -> Bool
}

extension PostRunWork {
    package var isLook: Bool { false }

    /// Does the job, and reports the progress after every post. Cancel the task to stop it; what was switched stays
    /// switched.
    ///
    /// - Parameters:
    ///   - start: The progress of an earlier run; this one continues after its position.
    ///   - pace: The speed limits.
    /// - Throws: `CancellationError`, or a fault of the service. A post that cannot be changed, or whose files cannot
    ///   be written while those of others can, is counted as a failure and skipped.
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
                // Some posts may have been deleted since they were counted.
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
    /// - Throws: `Failure` if this one post cannot be changed.
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
