import API
package import Files
package import Logging
import ServiceLifecycle
import Synchronization
import Tree

/// The watch over the disk: it pauses the intake while the disk is full, read-only or broken.
///
/// Once a second it reads the free space and checks that the folders still exist. Code that meets a transient fault of
/// a write reports it here; the monitor then tries whether anything can be written at all. If not, the intake is paused
/// and the trial is repeated until it succeeds, so that everything resumes without an operator. If a write succeeds,
/// the fault concerned that one upload only (a folder without access, for example), and others do not wait for it.
package final class DiskMonitor: Sendable {
    private static let interval = Duration.seconds(1)
    /// The time between two trials, so that many faults at the same time share one trial.
    private static let rest = Duration.milliseconds(100)
    /// The number of free files (inodes) below which the file system counts as full: an upload creates a dozen files.
    private static let minFreeFiles = 64

    /// The size of the tree's write-ahead log from which the operator is warned, in bytes: many times its usual size.
    private static let maxLogBytes = 512 << 20

    private struct State {
        var isRunning = false
        /// The callers that wait for a check of the disk; each receives whether it was done.
        var reports: [CheckedContinuation<Bool, Never>] = []
        /// Whether a fault was reported by a caller that does not wait.
        var isSuspicious = false
        /// The space at the last check; nil before the first.
        var space: FileSystemSpace?
        var reportCount = 0
    }

    /// The gate that pauses the intake.
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

    /// The free bytes at the last check, and the bytes that must stay free; nil before the first check.
    package var freeSpace: (bytes: Int, reserve: Int)? {
        state.withLock { $0.space }.map { ($0.freeBytes, reserve().bytes(of: $0)) }
    }

    /// The size of the disk, in bytes; nil before the first check.
    package var totalBytes: Int? { state.withLock { $0.space?.totalBytes } }

    /// Requests a check of the disk before the next regular one.
    package func lookSoon() { signals.continuation.yield() }

    /// The number of faults that were reported since the start.
    package var reportCount: Int { state.withLock { $0.reportCount } }

    /// Checks the disk regularly until a shutdown.
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

    /// Logs each row of the tree that is found damaged. The intake is not paused for it.
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

    /// Reports a fault; does not wait for the check.
    package func suspect() {
        state.withLock { state in
            state.isSuspicious = true
            state.reportCount += 1
        }
        signals.continuation.yield()
    }

    /// Reports a fault, and waits for the check.
    ///
    /// - Returns: Whether the fault concerns all uploads: the intake is paused.
    package func report() async -> Bool {
        let isWatched = await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                state.reportCount += 1
                if state.isRunning { state.reports.append(continuation) }
                return state.isRunning
            }
            if isTaken { signals.continuation.yield() } else { continuation.resume(returning: false) }
        }
        // The regular checks have not started yet, or have ended.
        if !isWatched { await look(isSuspicious: true) }
        return gate.pause != nil
    }

    /// Reports an error, and waits for the check; permanent failures and refusals do not concern the disk, and are
    /// ignored.
    ///
    /// - Returns: Whether the intake is paused; then the error does not count as a failed attempt.
    @discardableResult
    package func report(_ error: any Error) async -> Bool {
        guard error is IntakePause || Failure(error).isTransient, !(error is CancellationError) else {
            return false
        }
        return await report()
    }

    /// Waits until the intake resumes, the task is cancelled, or the service shuts down. In a process without regular
    /// checks, the caller checks the disk itself.
    package func waitUntilOpen() async {
        while gate.pause != nil, !Task.isEnding, !state.withLock(\.isRunning) {
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
            await look(isSuspicious: true)
        }
        await gate.waitUntilOpen()
    }

    /// The reason why work waits, with the path of the Storage folder, for the operator; nil while the intake is open.
    package var obstacle: String? {
        guard let pause = gate.pause else { return nil }
        let isFull = pause.code == .diskFull
        return "waits \(isFull ? "for room on the disk of" : "until it can write to") \(storage.path): \(pause.message)"
    }

    /// Reports an error; does not wait for the check.
    package func notice(_ error: any Error) {
        if Failure(error).isTransient { suspect() }
    }

    /// Checks the disk, and tries to write if there is a reason to, or if faults were reported.
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
            logger.notice("intake resumed", metadata: ["code": "\(old.code.rawValue)", "paused": "\(seconds) s"])
        default: break
        }
    }

    /// Warns once that the log of the tree has become long; warns again only after it was short.
    private func lookAtLog() {
        let byteCount = storage.tree.logBytes
        let isLong = byteCount > Self.maxLogBytes
        guard isLogLong.exchange(isLong, ordering: .relaxed) != isLong, isLong else { return }
        logger.warning(
            "the log of the tree is long: a start after a crash has to read it, and it takes up space",
            metadata: ["bytes": "\(byteCount)", "reason": "a read takes long, or much is written at once"])
    }

    /// Returns the pause for a folder that was removed or replaced; nil if all are in place.
    private func loss() async -> IntakePause? {
        do {
            try await FileThreads.run { [storage, logger] in
                for name in try storage.lookAfterFolders() {
                    logger.warning(
                        "a folder was removed or replaced, and is used as it is now", metadata: ["folder": "\(name)"])
                }
            }
            return nil
        } catch {
            return error as? IntakePause ?? IntakePause(error)
        }
    }

    /// Returns the pause for too little space; nil if there is enough. If there is enough again, the space that
    /// deletions have used is reserved again.
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
        let hint = "Free some space on it. The intake then resumes by itself."
        if let files = space.freeFiles, files < Self.minFreeFiles {
            return IntakePause(code: .diskFull, message: "the disk has space for only \(files) more files", hint: hint)
        }
        let reserve = reserve().bytes(of: space)
        // Resuming needs slightly more space than pausing, so that the two do not alternate.
        let (more, overflow) = reserve.addingReportingOverflow(reserve / 20)
        var needed = gate.pause == nil || overflow ? reserve : more
        if let room = storage.tree.reserve, room.isGivenUp {
            needed = max(needed, room.requiredBytes)
        } else if space.freeBytes >= needed {
            return nil
        }
        return IntakePause(
            code: .diskFull,
            message:
                "\(ByteSize.text(space.freeBytes)) of the disk are free; \(ByteSize.text(needed)) have to be (free-space)",
            hint: hint)
    }

    /// Returns the pause for unreadable rules, without which no commit is possible; nil if they can be read.
    ///
    /// Another fault of the read is left to ``trial()``: a busy moment is no reason for a pause.
    private func faultOfRules() async -> IntakePause? {
        do {
            try await RulesCheck(storage.tree).run()
            return nil
        } catch {
            return error.code == .unreadableRules ? IntakePause(error) : nil
        }
    }

    /// Tries to write in each folder to which the service writes; returns the pause for the first failure, or nil.
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
            logger.debug("a trial write failed", metadata: ["fault": "\(error)"])
            return IntakePause(error)
        }
    }
}
