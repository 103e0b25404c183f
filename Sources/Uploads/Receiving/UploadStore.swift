package import API
package import Logging
package import Model
import Social
package import Synchronization
package import Tree

/// The records of all uploads, with their references and their queue.
///
/// The store makes all transitions except those that are part of a larger update: ``Publisher`` publishes, and
/// ``DeletedPostSweeper`` records that a post was deleted. Each is one durable multi-path update whose preconditions
/// are the facts that it was decided by. ``UploadState`` lists the legal transitions. Methods may be called from any
/// task.
package final class UploadStore: Sendable {
    package let tree: TreeStore
    let ids: PushIDGenerator
    let clock: @Sendable () -> Timestamp
    let settings: SharedSettings
    package let intakes: IntakeHandlers
    /// The number of uploads for each kind of end since the start, and the number acknowledged (`ingested`).
    package let counters = UploadCounters()
    let logger: Logger
    let metrics: UploadMetrics
    /// The uploads that wait for a worker.
    package let queue = UploadQueue()
    /// The abandoned uploads whose records do not show it yet, each with the time at which that became known. The
    /// janitor expires them soon.
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

    /// The current time.
    package var now: Timestamp { clock() }

    // MARK: Reading

    /// Returns the record of an upload; nil if it does not exist.
    package func record(of id: PostID) async throws(TreeError) -> UploadRecord? {
        try await tree.upload(id)
    }

    /// Returns the uploads that still have work to do, oldest first.
    package func queued() async throws(TreeError) -> [QueueEntry] {
        try await tree.children(of: UploadNodes.queued()).compactMap { QueueEntry($0) }
    }

    /// Returns the uploads of an intake that still have work to do, oldest first.
    package func unfinished(from intake: Intake) async throws(TreeError) -> [UploadRecord] {
        var records: [UploadRecord] = []
        for entry in try await queued() where entry.intake == nil || entry.intake == intake {
            if let record = try await record(of: entry.id), record.intake == intake { records.append(record) }
        }
        return records
    }

    /// Waits until an upload has ended, and returns its record. Cancellation ends the wait, not the upload.
    ///
    /// - Throws: `Failure` `not_found` if the upload does not exist, or a failure of the tree.
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
        Failure(
            .notFound, "the upload \(id) does not exist", hint: "Send the photo again: the upload may have expired.")
    }

    /// Checks that a photo does not exceed the limit for one post.
    ///
    /// - Parameter count: The number of existing photos.
    /// - Throws: `Failure` `too_many_photos`.
    package func checkPhotoCount(_ count: Int) throws(Failure) {
        let limit = settings.value.maxPhotos
        guard count < limit else {
            throw Failure(
                .tooManyPhotos, "a post has at most \(limit) photos", hint: "Publish this one and begin another.")
        }
    }

    // MARK: Clean-up

    /// Records that an upload that has ended needs no further clean-up.
    package func finishCleanUp(_ id: PostID) async throws {
        try await tree.delete(UploadNodes.queued(id), at: "settled")
    }

    /// Cleans up after an upload that has ended, as its intake requires. Repeated calls are harmless: clean-up that a
    /// crash interrupts is repeated at the next start.
    package func cleanUp(_ id: PostID) async throws {
        try tree.health.check()
        guard let record = try await record(of: id), record.state.isTerminal else { return }
        if try await intakes[record.intake].cleanUp(after: record) { try await finishCleanUp(id) }
    }

    /// Deletes the record of an upload that has ended, and frees its idempotency key, unless work remains for it.
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
    /// Returns the record of an upload; nil if it does not exist.
    package func upload(_ id: PostID) async throws(TreeError) -> UploadRecord? {
        UploadRecord(id: id, value: try await get(UploadNodes.upload(id)))
    }
}

extension TreeSnapshot {
    /// Returns the record of an upload; nil if it does not exist.
    package func upload(_ id: PostID) throws(TreeError) -> UploadRecord? {
        try reading(UploadNodes.upload(id)) { UploadRecord(id: id, value: $0) }
    }
}
