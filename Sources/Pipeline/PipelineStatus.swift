import Posts
import Synchronization
package import Tree

/// How the pipeline is doing, for people and for monitoring.
package struct PipelineStatus: Sendable {
    /// Uploads that wait for a worker.
    package let waiting: Int
    /// When the one that has waited longest was reserved, in milliseconds since 1970.
    package let oldestTimestampMilliseconds: Int64?
    /// Uploads that have not ended yet, by the state in which they are.
    package let unfinished: [UploadState: Int]
    /// Posts that were committed since the start.
    package let published: Int
    /// Dropped files whose bytes had been posted before, since the start.
    package let duplicates: Int
    /// Uploads that could never become a post, since the start.
    package let failed: Int
    /// Why nothing new is taken; nil while it is.
    package let pause: IntakePause?
    /// Bytes that are free on the disk, and bytes that have to be; nil before the first look.
    package let freeSpace: (bytes: Int, reserve: Int)?
    /// What the tree has committed since it was opened.
    package let tree: TreeStore.Statistics
}

extension UploadPipeline {
    /// Tells how the pipeline is doing. Costs a read of what is unfinished.
    package func status() async throws -> PipelineStatus {
        let states = try await tree.children(of: Paths.queue).compactMap { QueueEntry($0)?.state }
        return PipelineStatus(
            waiting: queue.count, oldestTimestampMilliseconds: queue.oldestTimestampMilliseconds,
            unfinished: Dictionary(states.map { ($0, 1) }, uniquingKeysWith: +),
            published: outcomes[.published], duplicates: outcomes[.duplicate], failed: outcomes[.failed],
            pause: intake.pause, freeSpace: watch.freeSpace, tree: tree.statistics)
    }
}

/// How many uploads came to which end since the start.
final class Outcomes: Sendable {
    private let counts = Mutex<[UploadState: Int]>([:])

    subscript(state: UploadState) -> Int {
        counts.withLock { $0[state, default: 0] }
    }

    func count(_ state: UploadState) {
        counts.withLock { $0[state, default: 0] += 1 }
    }
}
