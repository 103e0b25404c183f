package import API
package import Social
package import Store
import Synchronization
package import Tree
package import Uploads

/// The condition of the pipeline, for operators and for monitoring.
package struct PipelineStatus: Sendable {
    /// The number of uploads that wait for a worker.
    package let waiting: Int
    /// The time at which the upload that has waited longest was reserved.
    package let oldestTimestamp: Timestamp?
    /// The numbers of uploads that have not ended yet, by state.
    package let unfinished: [UploadState: Int]
    /// The number of posts that were committed since the start.
    package let published: Int
    /// The number of uploads since the start whose photos their users had posted before.
    package let duplicates: Int
    /// The number of permanent failures of uploads since the start.
    package let failed: Int
    /// The free bytes of the disk, and the bytes that must stay free; nil before the first measurement.
    package let freeSpace: (bytes: Int, reserve: Int)?
    /// The job over posts that is running; nil if there is none.
    package let batch: PostRun?
    /// The number of files in the inbox that wait to be claimed; nil if no intake reports it.
    package let inboxFiles: Int?
    /// The reason why nothing is cleaned up; nil while the clean-up works.
    package let sweepHold: Failure?
    /// The number of posts with unclaimed files, at the last search; nil before the first.
    package let unclaimed: Int?
    /// The number of posts that were deleted for their age since the start; nil without the setting `post-retention`.
    package let expired: Int?
    /// The follow-up tasks that are pending; nil if there are none.
    package let jobs: FollowUpTaskSummary?
    /// The results of the last store checks.
    package let audits: StoreCheckResults
    /// The counts of the tree's commits since it was opened.
    package let tree: TreeStatistics
}

/// Collects the status of the pipeline.
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

    /// Returns the present status. It reads all unfinished uploads.
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

    /// Returns the result of a read; nil if a row is damaged, which the rest of the status reports.
    private func readable<Value>(_ read: () async throws -> Value) async throws -> Value? {
        do {
            return try await read()
        } catch let error as TreeError where error.isDamage {
            return nil
        }
    }
}
