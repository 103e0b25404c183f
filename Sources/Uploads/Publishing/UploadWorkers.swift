import API
import Concurrency
package import Logging
import Model
import ServiceLifecycle
package import Store

/// The workers on acknowledged uploads: each takes an upload from the queue, renders it and publishes it. If there is a
/// moderator, other workers wait for the decision in between. An upload that must wait for its turn to be published
/// goes back to the queue.
package struct UploadWorkers: Sendable {
    /// The number of concurrent requests to the moderator.
    private static let moderationCount = 4

    let store: UploadStore
    let publisher: Publisher
    let disk: DiskMonitor
    let logger: Logger
    /// The uploads that are rendered and wait for the moderator. They also stay in the other queue until they end.
    private let unmoderated = UploadQueue()

    package init(store: UploadStore, publisher: Publisher, disk: DiskMonitor, logger: Logger) {
        self.store = store
        self.publisher = publisher
        self.disk = disk
        self.logger = logger
    }

    /// The number of uploads that wait for a request to the moderator.
    var unmoderatedCount: Int { unmoderated.count }

    /// Runs a number of workers until ``close()``. Work in progress is then finished, and waiting uploads stay in the
    /// tree for the next start.
    package func run(count: Int) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<count {
                group.addTask(name: "upload worker") { await self.work(on: store.queue, publisher.render) }
            }
            if publisher.moderator != nil {
                for _ in 0..<Self.moderationCount {
                    group.addTask(name: "moderation") { await self.work(on: unmoderated, publisher.moderate) }
                }
            }
            group.addTask(name: "retries") { await self.store.queue.runRetries(self.waitForRetry) }
        }
    }

    /// Closes the queues, so that the workers take no further work. Returns at once; ``run(count:)`` returns when the
    /// work in progress is finished.
    package func close() {
        store.queue.close()
        unmoderated.close()
    }

    private func work(
        on queue: UploadQueue, _ step: (UploadRecord) async throws -> Publisher.Progress
    ) async {
        while let work = await queue.next() {
            if queue === store.queue, let since = work.since { store.metrics.endWait(since: since) }
            await disk.gate.waitUntilOpen()
            unmoderated.finish(work.id)
            await process(work, step)
        }
    }

    /// Finishes one acknowledged upload, or passes it to the moderator, or back to the queue: after a transient error,
    /// or because earlier uploads must be published first.
    private func process(
        _ work: UploadQueue.Work, _ step: (UploadRecord) async throws -> Publisher.Progress
    ) async {
        let id = work.id
        do {
            guard let record = try await store.record(of: id), record.state == .ingested else {
                // The upload has ended, but a fault prevented the clean-up of its files.
                try await store.cleanUp(id)
                return store.queue.finish(id)
            }
            do {
                let progress: Publisher.Progress =
                    if let rendered = work.rendered { .rendered(rendered) } else { try await step(record) }
                switch progress {
                case .unmoderated: return unmoderated.push(id, of: record.owner)
                case .rendered(let rendered):
                    guard store.queue.hasTurn(rendered) else { return }
                    note(try await publisher.publish(rendered), of: record)
                case .ended(let end): note(end, of: record)
                }
            } catch let failure as Failure where !failure.isTransient {
                try await store.fail(id, from: .ingested, with: failure)
            }
            store.queue.finish(id)
        } catch is CancellationError {
            // The service stops; the next start continues from the tree.
        } catch {
            // A fault of the disk or the engine is never a permanent failure of the upload, whatever its code.
            store.queue.setAside(id, after: Failure(error))
        }
    }

    private func note(_ end: Publisher.End, of record: UploadRecord) {
        let isPost = end == .post
        store.counters.count(isPost ? .published : .duplicate)
        logger.info(
            isPost ? "published" : "duplicate",
            metadata: ["upload": "\(record.id)", "owner": "\(record.owner)", "photos": "\(record.photos.count)"])
    }

    /// Waits until another attempt at an upload may succeed.
    private func waitForRetry(_ id: PostID, after fault: Failure) async {
        // While the disk is broken, attempts are not counted and nothing is published. A moderator does not depend on
        // the disk.
        let isModerator = fault.code == .moderationUnavailable
        if !isModerator, await disk.report(fault) { return await disk.gate.waitUntilOpen() }
        store.queue.letOthersPass(id)
        let attempt = store.queue.countAttempt(id)
        // Each attempt may occupy a worker for the time limit of a photo.
        let delay = Backoff.delay(afterAttempt: attempt, atMost: fault.code == .workerKilled ? 3_600_000 : 60_000)
        logger.warning(
            "a transient error; trying again",
            metadata: ["upload": "\(id)", "fault": "\(fault.description.printable)", "in": "\(delay)"])
        // If even that cannot be written, the log contains it.
        try? await store.note(fault, attempt: attempt, of: id)
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: delay) }
    }
}
