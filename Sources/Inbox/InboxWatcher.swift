import Blobs
package import Logging
package import Pipeline
import Posts
import ServiceLifecycle
import Tree

/// Watches the inbox: `inbox/{uid}/photo.jpg` becomes a post of that user.
///
/// Events of the kernel are a hint, walks through the folders are the truth: one at the start, one whenever events were
/// lost, and one every few seconds anyway. What is complete is claimed (moved out of the inbox by a rename, so that it can
/// never be taken twice), ingested, and put away under `done/` or `failed/` when its upload has ended.
package struct InboxWatcher: Service, CustomStringConvertible {
    package var description: String { "inbox watcher" }

    /// What an operator may choose about the inbox.
    package struct Settings: Sendable {
        /// How long a file must be unchanged before it is taken, if nothing told that it was closed or moved in.
        package var quietTime: Duration = .seconds(5)
        /// How often the inbox is walked through although nothing happened; less often where that takes long.
        package var rescanInterval: Duration = .seconds(10)
        /// Whether files are copied out of the inbox although they could be renamed: what happens by itself where the
        /// inbox is on another file system. For tests.
        package var copies = false

        package init() {}
    }

    /// The longest time between two walks through everything.
    private static let longestInterval: Duration = .seconds(300)
    /// How many claims are worked on at a time.
    private static let maxClaims = 16
    /// How many may be stuck besides, each in a fault of its own.
    private static let maxStuckClaims = 1000
    /// How many names that the kernel told of are taken over at a time.
    private static let maxNews = 1024

    let pipeline: UploadPipeline
    let settings: Settings
    let logger: Logger
    let faults = FolderFaults()
    let stuck = AsyncSemaphore(maxStuckClaims)

    package init(_ pipeline: UploadPipeline, settings: Settings = Settings(), logger: Logger) {
        self.pipeline = pipeline
        self.settings = settings
        self.logger = logger
    }

    /// Takes files until a graceful shutdown. Claims that are not finished by then are taken up at the next start.
    package func run() async throws {
        let hints = try InboxEvents(inbox: pipeline.storage.inbox)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup { group in
                group.addTask(name: "inbox events") { try await hints.run() }
                group.addTask(name: "inbox clock") {
                    var ticks = 0
                    while true {
                        if ticks % 4 == 0 || hints.hasNames { hints.wake() }
                        ticks += 1
                        try await Task.sleep(for: .milliseconds(250))
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

    private func takeFiles(_ hints: InboxEvents) async throws {
        let slots = AsyncSemaphore(Self.maxClaims)
        let unfinished = await unfinishedAtLast()
        try await withThrowingDiscardingTaskGroup { group in
            for record in unfinished {
                // Before the first look: it would take the file for one that nobody has claimed.
                if record.state == .reserved { try? await claim.move(record) }
            }
            for record in unfinished {
                await slots.wait()
                group.addTask(name: "claim \(record.id)") { await finish(record, signalling: slots) }
            }
            var schedule = FairSchedule()
            for await _ in hints.signals {
                while !Task.isEnding {
                    await pipeline.intake.waitUntilOpen()
                    schedule.add(hints.take(Self.maxNews - schedule.nameCount))
                    schedule.beginRound(every: settings.rescanInterval, atMost: Self.longestInterval)
                    // A slot first: what is found complete is claimed at once, not when it may be so no more.
                    await slots.wait()
                    guard pipeline.intake.pause == nil else {
                        slots.signal()
                        continue
                    }
                    guard let record = await step(&schedule, hints) else {
                        slots.signal()
                        break
                    }
                    if let record {
                        group.addTask(name: "claim \(record.id)") { await finish(record, signalling: slots) }
                    } else {
                        slots.signal()
                    }
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

    var claim: InboxImporter { InboxImporter(pipeline, copies: settings.copies) }

    /// Makes one step for whoever's turn it is.
    ///
    /// - Returns: What was claimed, if anything was; nil when nobody has anything to look at.
    private func step(_ schedule: inout FairSchedule, _ hints: InboxEvents) async -> UploadRecord?? {
        guard let (user, step) = schedule.next() else { return nil }
        // (From the inbox itself nothing is to be taken but what is misplaced.)
        if !user.isEmpty, faults.isBroken(user) {
            await probe(user)
            if faults.isBroken(user) {
                schedule.giveUp(user)
                return .some(nil)
            }
        }
        let (storage, maxPhotos) = (pipeline.storage, pipeline.settings.maxPhotos)
        let completeness = FileStability(quietTime: settings.quietTime)
        let found: (finding: FileInspector.Finding, place: InboxFolder)?
        do {
            switch step {
            case .look(let name):
                let place = InboxFolder(user: user, path: name.path.dropLast())
                found = try await pipeline.onFileThread {
                    guard let last = name.path.last, let folder = try? place.open(in: storage.inbox) else { return nil }
                    let look = FileInspector(
                        folder: folder, place: place, completeness: completeness, maxPhotos: maxPhotos)
                    return (try look.look(at: RawName(last), hint: name.kind), place)
                }
                if found == nil { return .some(nil) }
            case .walk(let walk):
                let begin = ContinuousClock.now
                let (result, walk) = try await pipeline.onFileThread {
                    var walk = walk
                    let result = Result { () throws(BlobError) in
                        try walk.next(in: storage.inbox, hints: hints, completeness: completeness, maxPhotos: maxPhotos)
                    }
                    return (result, walk)
                }
                let isOver = if case .success(nil) = result { true } else { false }
                schedule.went(isOver ? nil : walk, of: user, in: .now - begin)
                if isOver { await probe(user) }
                found = try result.get()
            }
        } catch {
            // A file that nobody lets us read is no fault of the disk, and its neighbours are looked at all the same.
            let fault = error as? BlobError
            let isOfTheDisk = fault?.code == .permission ? false : await pipeline.isPaused(by: error)
            if !isOfTheDisk { note(fault, in: user) }
            return .some(nil)
        }
        guard let found else { return .some(nil) }
        switch found.finding {
        case .candidate(let candidate):
            return .some(await take(candidate, hints))
        case .late(let candidate):
            return .some(await takeLate(candidate, hints))
        case .rejected(let rejected):
            await reject(rejected)
        case .folder(let place):
            schedule.walk(through: place.user)
        case .unfinished(let name, let time):
            if let time { hints.lookAgain(at: found.place.path + [name], of: user, after: .nanoseconds(time)) }
        case .nothing:
            break
        }
        return .some(nil)
    }
}
