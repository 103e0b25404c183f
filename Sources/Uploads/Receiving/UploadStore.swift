package import API
package import Logging
package import Model
import Social
package import Synchronization
package import Tree

/// The records of all uploads, with the references and the queue that belong to them.
///
/// The store makes all transitions but those that are part of a larger update: ``Publisher`` publishes, and
/// ``DeletedPostSweeper`` notes that a post was deleted. Each is one durable multi-path update whose preconditions are
/// what it was decided by; which there are stands in ``UploadState``. Methods may be called from any task.
package final class UploadStore: Sendable {
    package let tree: TreeStore
    let ids: PushIDGenerator
    let clock: @Sendable () -> Timestamp
    let settings: SharedSettings
    package let intakes: IntakeHandlers
    /// How many came to which end since the start, and how many were acknowledged (`ingested`).
    package let counters = UploadCounters()
    let logger: Logger
    let metrics: UploadMetrics
    /// The uploads that wait for a worker.
    package let queue = UploadQueue()
    /// Uploads that nobody finishes any more although their records do not say so yet, each with when that became known,
    /// in milliseconds since the epoch. The janitor expires them soon.
    package let abandoned = Mutex<[PostID: Timestamp]>([:])

    package init(
        tree: TreeStore, ids: PushIDGenerator, clock: @escaping @Sendable () -> Timestamp, settings: SharedSettings,
        intakes: IntakeHandlers, logger: Logger, metrics: UploadMetrics
    ) {
        self.tree = tree
        self.ids = ids
        self.clock = clock
        self.settings = settings
        self.intakes = intakes
        self.logger = logger
        self.metrics = metrics
    }

    /// The drafts among the uploads.
    package var drafts: Drafts { Drafts(store: self) }

    /// The present time.
    package var now: Timestamp { clock() }

    // MARK: Reading

    /// The record of an upload; nil when there is none.
    package func record(of id: PostID) async throws(TreeError) -> UploadRecord? {
        try await tree.upload(id)
    }

    /// The uploads that still have work to do, oldest first.
    package func queued() async throws(TreeError) -> [QueueEntry] {
        try await tree.children(of: UploadNodes.queued()).compactMap { QueueEntry($0) }
    }

    /// The uploads of an intake that still have work to do, oldest first.
    package func unfinished(from intake: Intake) async throws(TreeError) -> [UploadRecord] {
        var records: [UploadRecord] = []
        for entry in try await queued() where entry.intake == nil || entry.intake == intake {
            if let record = try await record(of: entry.id), record.intake == intake { records.append(record) }
        }
        return records
    }

    /// Waits until an upload has ended, and returns its record. Cancellation ends the wait, not the upload.
    ///
    /// - Throws: `Failure` `not_found` when there is no such upload, or a failure of the tree.
    package func end(of id: PostID) async throws -> UploadRecord {
        let subscription = try await tree.subscribe(to: UploadNodes.upload(id) / "state")
        if !Self.isTerminal(subscription.value) {
            for try await change in subscription where Self.isTerminal(change.writes.first?.value) { break }
        }
        guard let record = try await record(of: id) else { throw Self.unknownUpload(id) }
        return record
    }

    private static func isTerminal(_ state: TreeValue?) -> Bool {
        state?.stringValue.flatMap(UploadState.init)?.isTerminal ?? true
    }

    static func unknownUpload(_ id: PostID) -> Failure {
        Failure(.notFound, "there is no upload \(id)", hint: "it may have expired; send the photo again")
    }

    /// Refuses a photo beyond the limit for one post.
    ///
    /// - Parameter count: The number of photos that there are.
    /// - Throws: `Failure` `too_many_photos`.
    package func checkPhotoCount(_ count: Int) throws(Failure) {
        let limit = settings.value.maxPhotos
        guard count < limit else {
            throw Failure(
                .tooManyPhotos, "a post has at most \(limit) photos", hint: "publish this one and begin another")
        }
    }

    // MARK: After the end

    /// Notes that nothing is left to clean up after an upload that has ended.
    package func finishCleanUp(_ id: PostID) async throws {
        try await tree.delete(UploadNodes.queued(id), at: "settled")
    }

    /// Cleans up after an upload that has ended, as its intake does. Cleaning up again is harmless, so that a crash in the
    /// middle is made good at the next start.
    package func cleanUp(_ id: PostID) async throws {
        try tree.health.check()
        guard let record = try await record(of: id), record.state.isTerminal else { return }
        if try await intakes[record.intake].cleanUp(after: record) { try await finishCleanUp(id) }
    }

    /// Deletes the record of an upload that has ended, and frees its idempotency key, unless there is work to do for it.
    package func forget(_ id: PostID) async throws {
        try await tree.transact(at: "forgotten") { snapshot, update in
            guard try !snapshot.exists(UploadNodes.queued(id)) else { return }
            if let record = try snapshot.upload(id), let reference = record.clientReference {
                let path = UploadNodes.reference(record.owner, try ClientReference.key(reference))
                if try snapshot.get(path) == .string(id.description) { update[path] = nil }
            }
            update[UploadNodes.upload(id)] = nil
            update[UploadNodes.ended(id)] = nil
            update[FileNodes.verified(id)] = nil
            update[AudienceNodes.restrictedMedia(id.key)] = nil
        }
    }
}

extension TreeStore {
    /// The record of an upload; nil when there is none.
    package func upload(_ id: PostID) async throws(TreeError) -> UploadRecord? {
        UploadRecord(id: id, value: try await get(UploadNodes.upload(id)))
    }
}

extension TreeSnapshot {
    /// The record of an upload; nil when there is none.
    package func upload(_ id: PostID) throws(TreeError) -> UploadRecord? {
        try reading(UploadNodes.upload(id)) { UploadRecord(id: id, value: $0) }
    }
}
