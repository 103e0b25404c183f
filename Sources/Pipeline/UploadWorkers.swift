import API
import Logging
import Posts
import ServiceLifecycle

/// Brings acknowledged uploads to their end: each worker takes one from the queue, renders and commits it.
struct UploadWorkers: Sendable {
    let store: UploadStore
    let publisher: Publisher
    let disk: DiskMonitor
    let logger: Logger

    /// Works with so many workers until the queue is closed: what is in work is finished, what waits stays in the tree for
    /// the next start.
    func run(count: Int) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<count { group.addTask(name: "upload worker") { await self.work() } }
            group.addTask(name: "retries") { await self.store.queue.runRetries(self.waitForRetry) }
        }
    }

    private func work() async {
        while let id = await store.queue.next() {
            await disk.gate.waitUntilOpen()
            await process(id)
        }
    }

    /// Brings one acknowledged upload to its end, or back into the queue when a transient error is in the way.
    private func process(_ id: PostID) async {
        do {
            guard let record = try await store.record(of: id), record.state == .ingested else {
                // It has ended, but a fault kept its files from being cleaned up.
                try await store.cleanUp(id)
                return store.queue.finish(id)
            }
            do {
                let isPost = try await publisher.publish(record)
                store.counters.count(isPost ? .published : .duplicate)
                logger.info(
                    isPost ? "published" : "duplicate",
                    metadata: ["upload": "\(id)", "owner": "\(record.owner)", "photos": "\(record.photos.count)"])
            } catch let failure as Failure where !failure.isTransient {
                try await store.fail(id, from: .ingested, with: failure)
            }
            store.queue.finish(id)
        } catch {
            // A fault of the disk or the engine is never a failure of the upload, whatever its code.
            store.queue.setAside(id, after: Failure(error))
        }
    }

    /// Waits until it makes sense to try an upload again.
    private func waitForRetry(_ id: PostID, after fault: Failure) async {
        // While the disk is broken, nothing that is tried counts.
        if await disk.report(fault) { return await disk.gate.waitUntilOpen() }
        let attempt = store.queue.countAttempt(id)
        // Each try may keep a worker busy for as long as a photo may take at all.
        let delay = Backoff.delay(afterAttempt: attempt, atMost: fault.code == .workerKilled ? 3600 : 60)
        logger.warning(
            "a transient error; trying again",
            metadata: ["upload": "\(id)", "fault": "\(fault.description.printable)", "in": "\(delay)"])
        // Where even that cannot be written, the log has it.
        try? await store.note(fault, attempt: attempt, of: id)
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: delay) }
    }
}
