import Blobs
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
    /// How far re-thumbnailing is; nil while none runs.
    package let rethumb: Rethumb.Progress?
    /// Files that lie in the inbox and are to be taken; nil when it cannot be read.
    package let inboxFiles: Int?
    /// Why nothing is swept; nil while all is.
    package let sweepHold: SweepHold?
    /// How many posts' files nobody claims, at the last look; nil before the first.
    package let unclaimed: Int?
    /// What the tree has committed since it was opened.
    package let tree: TreeStore.Statistics
}

extension UploadPipeline {
    /// Tells how the pipeline is doing. Costs a read of what is unfinished.
    package func status() async throws -> PipelineStatus {
        let inbox = storage.inbox
        let states = try await tree.children(of: Paths.queue).compactMap { QueueEntry($0)?.state }
        return PipelineStatus(
            waiting: queue.count, oldestTimestampMilliseconds: queue.oldestTimestampMilliseconds,
            unfinished: Dictionary(states.map { ($0, 1) }, uniquingKeysWith: +),
            published: outcomes[.published], duplicates: outcomes[.duplicate], failed: outcomes[.failed],
            pause: intake.pause, freeSpace: watch.freeSpace, rethumb: rethumb.withLock { $0 },
            inboxFiles: try? await onFileThread { try Self.countFiles(in: inbox) },
            sweepHold: sweepHold, unclaimed: unclaimed.count, tree: tree.statistics)
    }
}

extension UploadPipeline {
    /// Deeper than what is ever taken from a user's folder.
    private static let inboxDepth = 4

    /// Photos below a folder of the inbox: no hidden files, and no texts beside photos.
    private static func countFiles(in folder: Directory, depth: Int = inboxDepth) throws(BlobError) -> Int {
        var count = 0
        for entry in try folder.entries() where !entry.name.hasPrefix(".") {
            switch entry.kind {
            case .file: count += entry.name.hasSuffix(".json") ? 0 : 1
            case .folder where depth > 0: count += try countFiles(in: folder.folder(entry.name), depth: depth - 1)
            default: break
            }
        }
        return count
    }
}

/// How many uploads came to which end since the start.
final class UploadCounters: Sendable {
    private let counts = Mutex<[UploadState: Int]>([:])

    subscript(state: UploadState) -> Int {
        counts.withLock { $0[state, default: 0] }
    }

    func count(_ state: UploadState) {
        counts.withLock { $0[state, default: 0] += 1 }
    }
}
