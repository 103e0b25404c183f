import API
package import Files
package import Logging
import ServiceLifecycle
import Synchronization
import Tree

/// Keeps an eye on the disk, and pauses the intake while it is full, read-only or broken.
///
/// Once a second it asks how much is free, and whether the folders are still there. A write of ours that met a passing
/// fault is reported here: then it is tried whether anything can be written at all. If not, the intake is paused, and the
/// trial is repeated until it succeeds: all goes on by itself. If it can, the fault was that one upload's (a folder without
/// access), and nobody else waits for it.
package final class DiskMonitor: Sendable {
    private static let interval = Duration.seconds(1)
    /// The time between two trials, so that many faults of one place share one.
    private static let rest = Duration.milliseconds(100)
    /// The number of free files below which the file system is as good as full: an upload makes a dozen files.
    private static let minFreeFiles = 64

    /// The length of the tree's log of which the operator is told, in bytes: many times what it is meant to have.
    private static let maxLogBytes = 512 << 20

    private struct State {
        var isRunning = false
        /// The callers that wait for a look at the disk; each is told whether there was one.
        var reports: [CheckedContinuation<Bool, Never>] = []
        /// Whether somebody has met a fault who does not wait to hear more.
        var isSuspicious = false
        /// The space at the last look.
        var space: FileSystemSpace?
        var reportCount = 0
    }

    /// Whether new uploads are taken, and why not.
    package let gate = IntakeGate()
    private let storage: StorageFolder
    private let reserve: @Sendable () -> FreeSpaceReserve
    private let logger: Logger
    private let state = Mutex(State())
    private let isLogLong = Atomic(false)
    private let signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(
        _ storage: StorageFolder, reserve: @escaping @Sendable () -> FreeSpaceReserve, logger: Logger
    ) {
        self.storage = storage
        self.reserve = reserve
        self.logger = logger
    }

    /// How many bytes were free at the last look, and how many have to be; nil before the first.
    package var freeSpace: (bytes: Int, reserve: Int)? {
        state.withLock { $0.space }.map { ($0.freeBytes, reserve().bytes(of: $0)) }
    }

    /// All bytes of the disk; nil before the first look.
    package var totalBytes: Int? { state.withLock { $0.space?.totalBytes } }

    /// Has the disk looked at before its turn.
    package func lookSoon() { signals.continuation.yield() }

    /// How many faults were reported since the start.
    package var reportCount: Int { state.withLock { $0.reportCount } }

    /// Watches until a shutdown.
    package func run() async {
        state.withLock { $0.isRunning = true }
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isEnding {
                    self.signals.continuation.yield()
                    try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
                }
                self.signals.continuation.finish()
            }
            group.addTask {
                await cancelWhenGracefulShutdown { await self.storage.tree.health.waitForDamage() }
                self.signals.continuation.yield()
            }
            group.addTask { await cancelWhenGracefulShutdown { await self.tellDamagedRows() } }
            for await _ in signals.stream {
                let (reports, isSuspicious) = takeReports()
                await look(isSuspicious: isSuspicious)
                for report in reports { report.resume(returning: true) }
                if isSuspicious { try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.rest) } }
            }
        }
        state.withLock { $0.isRunning = false }
        for report in takeReports().reports { report.resume(returning: false) }
    }

    /// Tells of each row of the tree that is found damaged. Uploads are taken all the same.
    private func tellDamagedRows() async {
        let health = storage.tree.health
        var count = 0
        while !Task.isEnding {
            for row in health.damagedRows.dropFirst(count) {
                logger.error("a row of the database is damaged; nothing is swept", metadata: ["damage": "\(row)"])
                count += 1
            }
            await health.waitForDamagedRows(beyond: count)
        }
    }

    private func takeReports() -> (reports: [CheckedContinuation<Bool, Never>], isSuspicious: Bool) {
        state.withLock { state in
            defer { (state.reports, state.isSuspicious) = ([], false) }
            return (state.reports, state.isSuspicious || !state.reports.isEmpty)
        }
    }

    /// Has a fault looked into, by and by.
    package func suspect() {
        state.withLock { state in
            state.isSuspicious = true
            state.reportCount += 1
        }
        signals.continuation.yield()
    }

    /// Has a fault looked into.
    ///
    /// - Returns: Whether it is everybody's: the intake is paused.
    package func report() async -> Bool {
        let isWatched = await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                state.reportCount += 1
                if state.isRunning { state.reports.append(continuation) }
                return state.isRunning
            }
            if isTaken { signals.continuation.yield() } else { continuation.resume(returning: false) }
        }
        // Nobody watches yet, or any more.
        if !isWatched { await look(isSuspicious: true) }
        return gate.pause != nil
    }

    /// Has an error looked into that somebody has met; permanent failures and refusals are none of the disk's.
    ///
    /// - Returns: Whether the intake is paused: then the error was no failed attempt of anybody.
    @discardableResult
    package func report(_ error: any Error) async -> Bool {
        guard error is IntakePause || Failure(error).isTransient, !(error is CancellationError) else {
            return false
        }
        return await report()
    }

    /// Waits until the intake goes on, the task is cancelled, or the service shuts down. In a process where nobody watches the disk,
    /// whoever waits looks at it.
    package func waitUntilOpen() async {
        while gate.pause != nil, !Task.isEnding, !state.withLock(\.isRunning) {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            await look(isSuspicious: true)
        }
        await gate.waitUntilOpen()
    }

    /// The reason for which work waits, and the place, for the operator; nil while the intake is open.
    package var obstacle: String? {
        guard let pause = gate.pause else { return nil }
        let isFull = pause.code == .diskFull
        return "waits \(isFull ? "for room on the disk of" : "until it can write to") \(storage.path): \(pause.message)"
    }

    /// Has an error looked into by and by.
    package func notice(_ error: any Error) {
        if Failure(error).isTransient { suspect() }
    }

    /// Looks at the disk, and tries it when there is a reason to.
    package func look(isSuspicious: Bool) async {
        lookAtLog()
        let loss = await loss()
        var pause = storage.tree.health.damage.map { IntakePause($0) } ?? loss
        if pause == nil { pause = await shortage() }
        if pause == nil { pause = await faultOfRules() }
        if pause == nil, isSuspicious || gate.pause != nil || storage.tree.fault != nil { pause = await trial() }
        let old = gate.set(pause)
        switch (old, pause) {
        case (nil, let pause?):
            var metadata: Logger.Metadata = ["code": "\(pause.code.rawValue)", "reason": "\(pause.message)"]
            if let damage = storage.tree.health.damage { metadata["damage"] = "\(damage)" }
            logger.error("intake paused", metadata: metadata)
        case (let old?, nil):
            let seconds = (WallClock.now() - old.since).components.seconds
            logger.notice("intake goes on", metadata: ["code": "\(old.code.rawValue)", "paused": "\(seconds) s"])
        default: break
        }
    }

    /// Warns once of a log of the tree that has become long, until it is short again.
    private func lookAtLog() {
        let byteCount = storage.tree.logBytes
        let isLong = byteCount > Self.maxLogBytes
        guard isLogLong.exchange(isLong, ordering: .relaxed) != isLong, isLong else { return }
        logger.warning(
            "the log of the tree is long: a start after a crash has to read it, and it takes up room",
            metadata: ["bytes": "\(byteCount)", "reason": "somebody reads for long, or much is written at once"])
    }

    /// The pause for a folder that is not where it was; nil when all are, or are again.
    private func loss() async -> IntakePause? {
        do {
            try await FileThreads.run { [storage, logger] in
                for name in try storage.lookAfterFolders() {
                    logger.warning(
                        "it was removed or replaced, and is used as it is now", metadata: ["folder": "\(name)"])
                }
            }
            return nil
        } catch {
            return error as? IntakePause ?? IntakePause(error)
        }
    }

    /// The pause for too little space; nil when there is enough. Where there is enough again for it, the room that deletions have
    /// used is set aside anew.
    private func shortage() async -> IntakePause? {
        do {
            try await FileThreads.run {
                var space = try FileSystemSpace(around: self.storage.incoming)
                if !space.isReadOnly, self.storage.tree.reserve?.refill(free: space.freeBytes) == true {
                    space = try FileSystemSpace(around: self.storage.incoming)
                }
                self.state.withLock { [space] in $0.space = space }
            }
        } catch {
            return IntakePause(error)
        }
        guard let space = state.withLock({ $0.space }) else { return nil }
        return shortage(in: space)
    }

    package func shortage(in space: FileSystemSpace) -> IntakePause? {
        if space.isReadOnly { return IntakePause(FileError.mountedReadOnly(storage.path)) }
        let hint = "free some space on it; all goes on by itself"
        if let files = space.freeFiles, files < Self.minFreeFiles {
            return IntakePause(code: .diskFull, message: "the disk has room for \(files) files more", hint: hint)
        }
        let reserve = reserve().bytes(of: space)
        // A little more to go on than to stop, so that the one does not follow the other all the time.
        let (more, overflow) = reserve.addingReportingOverflow(reserve / 20)
        var needed = gate.pause == nil || overflow ? reserve : more
        if let room = storage.tree.reserve, room.isGivenUp {
            needed = max(needed, room.requiredBytes)
        } else if space.freeBytes >= needed {
            return nil
        }
        return IntakePause(
            code: .diskFull,
            message: "\(space.freeBytes >> 20) MiB of the disk are free; \(needed >> 20) MiB have to be (free-space)",
            hint: hint)
    }

    /// The pause for rules that cannot be read, by which no commit can be made; nil when they can be.
    ///
    /// Another fault of a read is left to ``trial()``: a busy moment is no reason for a pause.
    private func faultOfRules() async -> IntakePause? {
        do {
            try await RulesCheck(storage.tree).run()
            return nil
        } catch {
            return error.code == .unreadableRules ? IntakePause(error) : nil
        }
    }

    /// Tries a write in each of the places where the service writes: the pause for the first that fails; nil when none
    /// does.
    private func trial() async -> IntakePause? {
        do {
            try await FileThreads.run { [storage] in
                for folder in [storage.incoming, storage.done, storage.failed] {
                    try FolderProbe(in: folder).tryWriting()
                }
            }
            try await storage.blobs.probe()
            try await storage.tree.probe()
            return nil
        } catch {
            logger.debug("the disk is tried in vain", metadata: ["fault": "\(error)"])
            return IntakePause(error)
        }
    }
}
