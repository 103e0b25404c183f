import API
import Files
package import Posts
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

    /// The posts to look at.
    func postIDs() async throws -> [PostID]

    /// Changes one post, while nothing else replaces files of posts or deletes replaced ones; false when it needs nothing.
    ///
    /// - Throws: `Failure`, what is in the way of this one post; or a fault of the service.
    func change(_ id: PostID) async throws -> Bool

    /// Is told how far the job is; nil when it has ended.
    func note(_ progress: PostJobProgress?)
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

extension TreeStore {
    /// The posts that there are, for everybody and for audiences; with a user, those of that one.
    func postIDs(of user: UserID?) async throws(TreeError) -> [PostID] {
        var ids: [PostID] = []
        for list in [
            user.map(Paths.postsOf) ?? Paths.posts, user.map(Paths.audiencePosts(by:)) ?? Paths.audiencePosts,
        ] { ids += try await keys(of: list).compactMap { PostID($0.description) } }
        return ids
    }
}

extension PostJob {
    package var isLook: Bool { false }
    package func note(_ progress: PostJobProgress?) {}

    /// Does the job, telling how far it is after every post. Cancel the task to stop it; what was switched stays switched.
    ///
    /// - Parameter start: How far an earlier run has come: this one goes on behind its position.
    /// - Throws: `CancellationError`, or a fault of the service. A post that cannot be changed, or whose files cannot be
    ///   written while others' can, is counted and passed over.
    package func run(
        from start: PostJobProgress = PostJobProgress(), _ report: (PostJobProgress) async throws -> Void
    ) async throws -> PostJobProgress {
        let ids = try await postIDs().filter { id in start.position.map { $0.string < id.string } ?? true }
            .sorted { $0.string < $1.string }
        var progress = start
        progress.total = start.done + ids.count
        defer { note(nil) }
        func tell() async throws {
            note(progress)
            try await report(progress)
        }
        try await tell()
        for id in ids {
            do {
                if try await changeWhenPossible(id) { progress.switched += 1 }
            } catch let error as Failure {
                progress.failed += 1
                progress.lastFailure = "post \(id): \(error)"
            }
            progress.done += 1
            progress.position = id
            try await tell()
        }
        return progress
    }

    /// Changes one post, once the disk allows it.
    ///
    /// - Throws: `Failure`, what is in the way of this one post.
    private func changeWhenPossible(_ id: PostID) async throws -> Bool {
        while true {
            if !isLook { await service.disk.gate.waitUntilOpen() }
            try Task.checkCancellation()
            do {
                return try await service.garbage.renditionLock.withPermit { try await change(id) }
            } catch let error where error is CancellationError || (error as? TreeError)?.code == .closed {
                throw error
            } catch {
                guard await service.disk.report(error) else { throw Failure(error) }
            }
        }
    }
}
