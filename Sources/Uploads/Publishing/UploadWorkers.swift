import API
import Concurrency
package import Logging
import Model
import ServiceLifecycle
package import Store

/// Brings acknowledged uploads to their end: each worker takes one from the queue, renders and publishes it. Where a moderator is
/// asked in between, others than those who render wait for the answer. An upload that has to wait for its turn to be published
/// goes back to the queue.
package struct UploadWorkers: Sendable {
    /// How many posts a moderator is asked about at a time.
    private static let moderationCount = 4

    let store: UploadStore
    let publisher: Publisher
    let disk: DiskMonitor
    let logger: Logger
    /// The uploads that are rendered and wait for the moderator. They stay with the other queue, too, until they end.
    private let unmoderated = UploadQueue()

    package init(store: UploadStore, publisher: Publisher, disk: DiskMonitor, logger: Logger) {
        self.store = store
        self.publisher = publisher
        self.disk = disk
        self.logger = logger
    }

    /// How many uploads wait for the moderator, and are not being decided about.
    var unmoderatedCount: Int { unmoderated.count }

    /// Works with so many workers until the queue is closed: what is in work is finished, what waits stays in the tree for
    /// the next start.
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

    /// Has what is in work finished, and nothing else begun.
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

    /// Brings one acknowledged upload to its end, or to the moderator, or back into the queue when a transient error is in the
    /// way, or others go first.
    private func process(
        _ work: UploadQueue.Work, _ step: (UploadRecord) async throws -> Publisher.Progress
    ) async {
        let id = work.id
        do {
            guard let record = try await store.record(of: id), record.state == .ingested else {
                // It has ended, but a fault kept its files from being cleaned up.
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
            // The service ends; the next one begins with what the tree says.
        } catch {
            // A fault of the disk or the engine is never a failure of the upload, whatever its code.
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

    /// Waits until it makes sense to try an upload again.
    private func waitForRetry(_ id: PostID, after fault: Failure) async {
        // While the disk is broken, nothing that is tried counts, and nothing is published. A moderator is not on it.
        let isModerator = fault.code == .moderationUnavailable
        if !isModerator, await disk.report(fault) { return await disk.gate.waitUntilOpen() }
        store.queue.letOthersPass(id)
        let attempt = store.queue.countAttempt(id)
        // Each try may keep a worker busy for as long as a photo may take at all.
        let delay = Backoff.delay(afterAttempt: attempt, atMost: fault.code == .workerKilled ? 3_600_000 : 60_000)
        logger.warning(
            "a transient error; trying again",
            metadata: ["upload": "\(id)", "fault": "\(fault.description.printable)", "in": "\(delay)"])
        // Where even that cannot be written, the log has it.
        try? await store.note(fault, attempt: attempt, of: id)
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: delay) }
    }
}
