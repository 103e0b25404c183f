import Blobs
package import Logging
package import Pipeline
import Posts
import ServiceLifecycle
import Tree

/// The directory door: `inbox/{uid}/photo.jpg` becomes a post of that user.
///
/// Events of the kernel are a hint, the rescan is the truth: a scan runs at the start, whenever something happens, and
/// every few seconds anyway. What is complete is claimed (moved out of the inbox by a rename, so that it can never be
/// taken twice), ingested, and put away under `done/` or `failed/` when its upload has ended.
package struct InboxDoor: Service {
    /// What an operator may choose about the inbox.
    package struct Settings: Sendable {
        /// How long a file must be unchanged before it is taken, if nothing told that it was closed or moved in.
        package var quietTime: Duration = .seconds(5)
        /// How often the inbox is scanned although nothing happened.
        package var rescanInterval: Duration = .seconds(10)

        package init() {}
    }

    /// Copying programs that write a photo and its text one after the other get this long to finish both.
    private static let settlingTime: Duration = .milliseconds(250)
    /// When to look again at files that were still being written.
    private static let secondLook: Duration = .seconds(1)
    /// How many claims are worked on at a time.
    private static let maxClaims = 16

    private let pipeline: UploadPipeline
    private let settings: Settings
    private let logger: Logger

    package init(_ pipeline: UploadPipeline, settings: Settings = Settings(), logger: Logger) {
        self.pipeline = pipeline
        self.settings = settings
        self.logger = logger
    }

    /// Takes files until a graceful shutdown. Claims that are not finished by then are taken up at the next start.
    package func run() async throws {
        let hints = try InboxHints(inbox: pipeline.storage.inbox)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup { group in
                group.addTask(name: "inbox events") { try await hints.run() }
                group.addTask(name: "inbox clock") {
                    while true {
                        hints.scanSoon()
                        try await Task.sleep(for: settings.rescanInterval)
                    }
                }
                try await takeFiles(hints)
                group.cancelAll()
                while let result = await group.nextResult() {
                    if case .failure(let error) = result, !(error is CancellationError) { throw error }
                }
            }
        } onGracefulShutdown: {
            hints.stop()
        }
    }

    private func takeFiles(_ hints: InboxHints) async throws {
        let slots = Slots(Self.maxClaims)
        let unfinished = await unfinishedAtLast()
        try await withThrowingDiscardingTaskGroup { group in
            for record in unfinished {
                // Before the first scan: it would take the file for one that nobody has claimed.
                if record.state == .reserved { try? await Claim(pipeline).move(record) }
            }
            for record in unfinished {
                await slots.take()
                group.addTask(name: "claim \(record.id)") { await finish(record, releasing: slots) }
            }
            for await _ in hints.signals {
                try? await Task.sleep(for: Self.settlingTime)
                await pipeline.intake.waitUntilOpen()
                let scan: InboxScan
                do {
                    scan = try await look(hints)
                } catch {
                    if await !pipeline.isPaused(by: error) {
                        logger.warning("the inbox cannot be read", metadata: ["fault": "\(error)"])
                    }
                    continue
                }
                if scan.isUnfinished {
                    group.addTask {
                        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.secondLook) }
                        hints.scanSoon()
                    }
                }
                for fault in scan.unreadable {
                    logger.warning("cannot look into a folder", metadata: ["fault": "\(fault)"])
                }
                for misfit in scan.misfits { await reject(misfit) }
                for candidate in scan.candidates where !Task.isEnding {
                    await slots.take()
                    guard pipeline.intake.pause == nil else {
                        // What is not taken yet stays where it is until all goes on.
                        slots.release()
                        hints.scanSoon()
                        break
                    }
                    guard let record = await claim(candidate) else {
                        slots.release()
                        continue
                    }
                    group.addTask(name: "claim \(record.id)") { await finish(record, releasing: slots) }
                }
            }
        }
    }

    /// What the last run left, however long a fault is in the way of reading it.
    private func unfinishedAtLast() async -> [UploadRecord] {
        while !Task.isEnding {
            do {
                return try await pipeline.unfinished(from: .inbox)
            } catch {
                if await !pipeline.isPaused(by: error) {
                    logger.warning("cannot read what is unfinished", metadata: ["fault": "\(error)"])
                }
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            }
        }
        return []
    }

    private func look(_ hints: InboxHints) async throws -> InboxScan {
        let (inbox, quietTime) = (pipeline.storage.inbox, settings.quietTime)
        let finished = hints.takeFinished()
        return try await pipeline.onFileThread {
            for entry in try inbox.entries() where entry.kind == .folder { hints.watch(entry.name) }
            return try InboxScan(
                inbox,
                completeness: Completeness(
                    finished: finished, quietTime: quietTime.nanoseconds, now: WallClock.milliseconds() * 1_000_000))
        }
    }

    private func claim(_ candidate: InboxScan.Candidate) async -> UploadRecord? {
        do {
            return try await Claim(pipeline).take(candidate)
        } catch let refusal as PipelineError where !refusal.isTransient {
            if let folder = try? pipeline.storage.inbox.folder(candidate.user.description) {
                await reject(.init(folder: folder, user: candidate.user, name: candidate.name, reason: refusal))
            }
        } catch {
            if await pipeline.isPaused(by: error) { return nil }
            logger.warning("cannot take a file", metadata: ["file": "\(candidate.name)", "fault": "\(error)"])
        }
        return nil
    }

    /// Brings a claim to its end, however often a passing fault is in the way; a shutdown leaves it for the next start.
    ///
    /// Meanwhile it keeps its slot: with the disk full, the inbox comes to rest by itself.
    private func finish(_ record: UploadRecord, releasing slots: Slots) async {
        defer { slots.release() }
        var attempt = 0
        while !Task.isEnding {
            await pipeline.intake.waitUntilOpen()
            do {
                return try await cancelWhenGracefulShutdown { try await Claim(pipeline).finish(record.id) }
            } catch {
                if Task.isEnding { return }
                if await pipeline.isPaused(by: error) { continue }
                attempt += 1
                let delay = Backoff.delay(afterAttempt: attempt)
                logger.warning(
                    "a passing fault; trying again",
                    metadata: ["upload": "\(record.id)", "fault": "\(error)", "in": "\(delay)"])
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: delay) }
            }
        }
    }

    private func reject(_ misfit: InboxScan.Misfit) async {
        logger.notice("refused", metadata: ["file": "\(misfit.name)", "reason": "\(misfit.reason)"])
        let storage = pipeline.storage
        do {
            try await pipeline.onFileThread {
                let folder = try storage.failed.folder(misfit.user?.description ?? "no_user", create: true)
                try PutAway(folder: folder, staging: storage.incoming, mark: "\(WallClock.milliseconds())")
                    .put(misfit.name, from: misfit.folder, with: misfit.reason.document(of: misfit.name), as: "reason")
            }
        } catch {
            logger.warning("cannot put a file aside", metadata: ["file": "\(misfit.name)", "fault": "\(error)"])
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
