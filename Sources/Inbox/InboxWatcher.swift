import API
import Concurrency
import Files
package import Logging
import Model
import ServiceLifecycle
import Store
import Tree
package import Uploads

/// The watcher of the inbox: `inbox/{uid}/photo.jpg` becomes a post of that user.
///
/// Events of the kernel are only hints. Walks through the folders find everything: one at the start, one whenever
/// events were lost, and one every few seconds in any case. Complete files are claimed (moved out of the inbox by a
/// rename, so that they are claimed only once), ingested, and moved to `done/` or `failed/` when their upload has
/// ended.
package struct InboxWatcher: Service, CustomStringConvertible {
    package var description: String { "inbox watcher" }

    /// The settings of the inbox.
    package struct Settings: Sendable {
        /// The time for which a file must be unchanged before it is claimed, if no event reported that it was closed or
        /// moved in.
        package var quietTime: Duration = .seconds(5)
        /// The time for which a text waits for a photo that has not arrived, since its last change.
        package var photoPatience: Duration = .seconds(3600)
        /// The interval between walks through the inbox without events; longer if a walk takes long.
        package var rescanInterval: Duration = .seconds(10)
        /// Whether files are copied out of the inbox although they could be renamed, as is done if the inbox is on
        /// another file system. For tests.
        package var copies = false

        package init() {}
    }

    /// The longest time between two walks through the whole inbox.
    private static let longestInterval: Duration = .seconds(300)
    /// The largest number of claims that are ingested at a time.
    private static let maxClaims = 16
    /// The largest number of further claims that wait: for their renditions and their turn, or each for the end of its
    /// own fault.
    private static let maxWaitingClaims = 1000
    /// The largest number of claims of one user at a time.
    private static let maxClaimsOfUser = 256
    /// The largest number of names that are read from the events at a time.
    private static let maxNews = 1024

    let tools: IntakeTools
    let settings: Settings
    let logger: Logger
    let faults = FolderFaults()
    let counts = ClaimCounts(limit: maxClaimsOfUser)
    let waiting = AsyncSemaphore(maxWaitingClaims)

    package init(_ tools: IntakeTools, settings: Settings = Settings(), logger: Logger) {
        self.tools = tools
        self.settings = settings
        self.logger = logger
    }

    /// Claims files until a graceful shutdown. Unfinished claims are continued at the next start.
    package func run() async throws {
        let events = try InboxEvents(inbox: tools.storage.inbox)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup { group in
                group.addTask(name: "inbox events") { try await events.run() }
                group.addTask(name: "inbox clock") {
                    var ticks = 0
                    while true {
                        if ticks % 4 == 0 || events.hasNames { events.wake() }
                        ticks += 1
                        try await Task.sleep(for: .milliseconds(250))
                    }
                }
                try await takeFiles(events)
                group.cancelAll()
                while let result = await group.nextResult() {
                    if case .failure(let error) = result, !(error is CancellationError) { throw error }
                }
            }
        } onGracefulShutdown: {
            events.stop()
        }
    }

    private func takeFiles(_ events: InboxEvents) async throws {
        let slots = AsyncSemaphore(Self.maxClaims)
        let unfinished = await unfinishedAtLast()
        try await withThrowingDiscardingTaskGroup { group in
            for record in unfinished {
                // The file must be moved before the first look, which would take it for an unclaimed one.
                if record.state == .reserved { try? await importer.move(record) }
            }
            for record in unfinished {
                guard await slots.wait() else { return }
                counts.add(record.owner)
                group.addTask(name: "claim \(record.id)") { await finish(record, signalling: slots, events) }
            }
            var schedule = FairSchedule()
            for await _ in events.signals {
                while !Task.isEnding {
                    await tools.disk.gate.waitUntilOpen()
                    schedule.add(events.take(Self.maxNews - schedule.nameCount))
                    schedule.beginRound(every: settings.rescanInterval, atMost: Self.longestInterval)
                    // A slot is acquired first, so that a complete file is claimed at once, before it can change.
                    guard await slots.wait() else { return }
                    guard tools.disk.gate.pause == nil else {
                        slots.signal()
                        continue
                    }
                    let step = await step(&schedule, events)
                    if case .claimed(let record) = step {
                        counts.add(record.owner)
                        group.addTask(name: "claim \(record.id)") { await finish(record, signalling: slots, events) }
                    } else {
                        slots.signal()
                    }
                    if case .idle = step { break }
                }
            }
        }
    }

    /// Returns the uploads that the last run left unfinished; waits while a fault prevents them from being read.
    private func unfinishedAtLast() async -> [UploadRecord] {
        while !Task.isEnding {
            do {
                return try await tools.store.unfinished(from: .inbox)
            } catch {
                if await !tools.disk.report(error) {
                    logger.warning("cannot read the unfinished uploads", metadata: ["fault": "\(error)"])
                }
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            }
        }
        return []
    }

    var importer: InboxImporter { InboxImporter(tools, copies: settings.copies) }
}
