import API
import Keeping
import Logging
import Model
import ServiceLifecycle
import Social
import Store
import Tree
import Uploads

extension Pipeline: ServiceLifecycle.Service, CustomStringConvertible {
    package var description: String { "uploads" }

    /// Recovers the work of the last run, then runs until a graceful shutdown: work in progress is finished, and
    /// waiting work stays in the tree for the next start.
    package func run() async throws {
        await disk.look(isSuspicious: false)
        await recoverEventually()
        let workers = workers
        await withTaskCancellationOrGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                // There are twice as many workers as renderings: while one waits for the disk, another one renders.
                group.addTask(name: "uploads") { await workers.run(count: 2 * max(1, self.settings.workers)) }
                group.addTask(name: "disk monitor") { await self.disk.run() }
                group.addTask(name: "janitor") { await self.janitor.run() }
                group.addTask(name: "post runs") { await self.postRuns.run(with: self.tools, in: self.postRunSlot) }
                group.addTask(name: "store checks") {
                    await StoreCheckSchedule(tools: self.storeCheckTools, logger: self.logger).run()
                }
                group.addTask(name: "originals") {
                    await OriginalSchedule(
                        tools: self.tools, storage: self.storage, postRuns: self.postRuns, slot: self.postRunSlot,
                        logger: self.logger
                    ).run()
                }
                group.addTask(name: "follow-up tasks") {
                    await cancelWhenGracefulShutdown { await self.doFollowUpTasks() }
                }
            }
        } onCancelOrGracefulShutdown: {
            workers.close()
        }
    }

    private func doFollowUpTasks() async {
        guard tree.health.damage == nil else { return }
        while !Task.isEnding {
            do {
                try await upgrade.run()
                break
            } catch {
                try? await Task.sleep(for: .seconds(1))
            }
        }
        await tasks.run()
    }

    // MARK: Recovery

    /// Recovers; tries again while a fault prevents the queue from being read.
    private func recoverEventually() async {
        while !Task.isEnding {
            do {
                return try await recover()
            } catch let error as TreeError where error.isDamage {
                return logger.error("the work of the last run cannot be recovered", metadata: ["damage": "\(error)"])
            } catch {
                logger.warning("cannot recover yet", metadata: ["fault": "\(error)"])
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }

    /// Resumes the uploads of the last run, which `upload_queue` names, whatever their state. Reservations are
    /// continued by their senders.
    package func recover() async throws {
        if let hold = janitor.hold {
            logger.error(
                "nothing is swept: \(hold.message)", metadata: ["code": "\(hold.code)", "hint": "\(hold.hint)"])
        }
        guard tree.health.damage == nil else { return }
        try await upgrade.orderPosts()
        var resumedCount = 0
        for entry in try await store.queued() {
            do {
                if try await takeUp(entry) { resumedCount += 1 }
            } catch let error as TreeError where error.isDamage {
                logger.error(
                    "an upload cannot be resumed", metadata: ["upload": "\(entry.id)", "damage": "\(error)"])
            }
        }
        // All bytes of these uploads have arrived, and no request will continue them.
        await janitor.resumable.finishComplete()
        try await poison.removeExpired()
        logger.info("recovered", metadata: ["resumed": "\(resumedCount)"])
    }

    /// Resumes an upload of the last run.
    ///
    /// - Returns: Whether it now waits for a worker.
    private func takeUp(_ entry: QueueEntry) async throws -> Bool {
        switch entry.state {
        case .ingested:
            guard let owner = try await owner(of: entry) else { return false }
            let keepsOrder = entry.intake.map { store.intakes[$0].keepsOrder } ?? false
            store.queue.push(entry.id, of: owner, keepingOrder: keepsOrder)
            return true
        case nil:
            try await store.cleanUp(entry.id)
        case .reserved, .draft, .receiving:
            if entry.isOwnerGone { store.abandonLater(entry.id) }
            if entry.state == .reserved { try await expect(entry) }
        case .published, .deleted, .duplicate, .failed, .expired:
            break
        }
        return false
    }

    /// Makes later uploads wait for a reservation whose photos exist, because its intake continues with it.
    private func expect(_ reserved: QueueEntry) async throws {
        guard let intake = reserved.intake, let owner = reserved.owner, store.intakes[intake].keepsOrder,
            try await store.intakes[intake].holdsFiles(of: reserved.id),
            try await store.record(of: reserved.id)?.state == .reserved
        else { return }
        store.queue.expect(reserved.id, of: owner)
    }

    private func owner(of entry: QueueEntry) async throws -> UserID? {
        if let owner = entry.owner { return owner }
        return try await store.record(of: entry.id)?.owner
    }
}
