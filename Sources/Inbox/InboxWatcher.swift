import API
import Concurrency
import Files
package import Logging
import Model
import ServiceLifecycle
import Store
import Tree
package import Uploads

/// Watches the inbox: `inbox/{uid}/photo.jpg` becomes a post of that user.
///
/// Events of the kernel are a hint, walks through the folders are the truth: one at the start, one whenever events were
/// lost, and one every few seconds anyway. What is complete is claimed (moved out of the inbox by a rename, so that it can
/// never be taken twice), ingested, and put away under `done/` or `failed/` when its upload has ended.
package struct InboxWatcher: Service, CustomStringConvertible {
    package var description: String { "inbox watcher" }

    /// The settings of the inbox.
    package struct Settings: Sendable {
        /// How long a file must be unchanged before it is taken, if nothing told that it was closed or moved in.
        package var quietTime: Duration = .seconds(5)
        /// The time for which a text waits for a photo that has not come, since it was last changed.
        package var photoPatience: Duration = .seconds(3600)
        /// How often the inbox is walked through although nothing happened; less often where that takes long.
        package var rescanInterval: Duration = .seconds(10)
        /// Whether files are copied out of the inbox although they could be renamed: what happens by itself where the
        /// inbox is on another file system. For tests.
        package var copies = false

        package init() {}
    }

    /// The longest time between two walks through everything.
    private static let longestInterval: Duration = .seconds(300)
    /// The most claims that are taken in at a time.
    private static let maxClaims = 16
    /// The most that wait besides: for their renditions and their turn, or each for the end of a fault of its own.
    private static let maxWaitingClaims = 1000
    /// The most claims of one user at a time.
    private static let maxClaimsOfUser = 256
    /// How many names that the kernel told of are taken over at a time.
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

    /// Takes files until a graceful shutdown. Claims that are not finished by then are taken up at the next start.
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
                // Before the first look: it would take the file for one that nobody has claimed.
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
                    // A slot first: what is found complete is claimed at once, not when it may be so no more.
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

    /// The uploads that the last run left unfinished; waits as long as a fault is in the way of reading them.
    private func unfinishedAtLast() async -> [UploadRecord] {
        while !Task.isEnding {
            do {
                return try await tools.store.unfinished(from: .inbox)
            } catch {
                if await !tools.disk.report(error) {
                    logger.warning("cannot read what is unfinished", metadata: ["fault": "\(error)"])
                }
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            }
        }
        return []
    }

    var importer: InboxImporter { InboxImporter(tools, copies: settings.copies) }
}
