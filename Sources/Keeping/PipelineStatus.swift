package import API
package import Social
package import Store
import Synchronization
package import Tree
package import Uploads

/// The condition of the pipeline, for people and for monitoring.
package struct PipelineStatus: Sendable {
    /// Uploads that wait for a worker.
    package let waiting: Int
    /// The time at which the upload that has waited longest was reserved.
    package let oldestTimestamp: Timestamp?
    /// Uploads that have not ended yet, by the state in which they are.
    package let unfinished: [UploadState: Int]
    /// Posts that were committed since the start.
    package let published: Int
    /// Uploads whose photos their users had posted before, since the start.
    package let duplicates: Int
    /// Uploads that could never become a post, since the start.
    package let failed: Int
    /// Bytes that are free on the disk, and bytes that have to be; nil before the first look.
    package let freeSpace: (bytes: Int, reserve: Int)?
    /// The job over posts that runs; nil while none does.
    package let batch: PostRun?
    /// Files that wait to be taken; nil when no intake can tell.
    package let inboxFiles: Int?
    /// The reason for which nothing is swept; nil while everything is.
    package let sweepHold: Failure?
    /// How many posts' files nobody claims, at the last look; nil before the first.
    package let unclaimed: Int?
    /// Posts that were deleted for their age, since the start; nil where none are.
    package let expired: Int?
    /// What is left to do behind the commits that cause it; nil for nothing.
    package let jobs: FollowUpTaskSummary?
    /// What the last audits came to.
    package let audits: StoreCheckResults
    /// The numbers of the tree's commits since it was opened.
    package let tree: TreeStatistics
}

/// Tells how the pipeline is doing.
package struct PipelineReport: Sendable {
    let storage: StorageFolder
    let store: UploadStore
    let disk: DiskMonitor
    let postRuns: PostRuns
    let unclaimed: UnclaimedFiles
    let expiry: PostExpiry
    let audits: StoreCheckResults
    let settings: SharedSettings

    package init(
        storage: StorageFolder, store: UploadStore, disk: DiskMonitor, postRuns: PostRuns, unclaimed: UnclaimedFiles,
        expiry: PostExpiry, audits: StoreCheckResults, settings: SharedSettings
    ) {
        self.storage = storage
        self.store = store
        self.disk = disk
        self.postRuns = postRuns
        self.unclaimed = unclaimed
        self.expiry = expiry
        self.audits = audits
        self.settings = settings
    }

    private var tree: TreeStore { storage.tree }

    /// Returns the present status. Costs a read of what is unfinished.
    package func status() async throws -> PipelineStatus {
        let states = try await readable { try await store.queued().compactMap(\.state) } ?? []
        return PipelineStatus(
            waiting: store.queue.count, oldestTimestamp: store.queue.oldestTimestamp,
            unfinished: Dictionary(states.map { ($0, 1) }, uniquingKeysWith: +),
            published: store.counters[.published], duplicates: store.counters[.duplicate],
            failed: store.counters[.failed], freeSpace: disk.freeSpace,
            batch: postRuns.known.first { $0.state == .running }, inboxFiles: await store.intakes.backlog(),
            sweepHold: storage.hold, unclaimed: unclaimed.count,
            expired: settings.value.postRetention == nil ? nil : expiry.count,
            jobs: try await readable { try await tree.snapshot { try FollowUpTaskSummary(in: $0) } } ?? nil,
            audits: audits,
            tree: tree.statistics)
    }

    /// The result of a read; nil where a row is damaged, which the rest of the status tells.
    private func readable<Value>(_ read: () async throws -> Value) async throws -> Value? {
        do {
            return try await read()
        } catch let error as TreeError where error.isDamage {
            return nil
        }
    }
}
