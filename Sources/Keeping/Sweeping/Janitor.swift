package import API
import Files
package import Logging
import ServiceLifecycle
import Social
package import Store
import Synchronization
import Tree
package import Uploads

/// Cleans up leftovers and expired data: every minute, and some seconds after a fault, because faults leave files
/// behind. Every hour it also searches the blob store for unclaimed files, and cleans up the intakes' archives.
package struct Janitor: Sendable {
    let storage: StorageFolder
    let store: UploadStore
    package let deletedPosts: DeletedPostSweeper
    let expiry: UploadExpiry
    let posts: PostExpiry
    let garbage: GarbageList
    let unclaimed: UnclaimedFiles
    let disk: DiskMonitor
    package let resumable: ResumableSweeper
    let logger: Logger

    package init(
        storage: StorageFolder, store: UploadStore, deletedPosts: DeletedPostSweeper, expiry: UploadExpiry,
        posts: PostExpiry, garbage: GarbageList, unclaimed: UnclaimedFiles, disk: DiskMonitor,
        resumable: ResumableSweeper, logger: Logger
    ) {
        self.storage = storage
        self.store = store
        self.deletedPosts = deletedPosts
        self.expiry = expiry
        self.posts = posts
        self.garbage = garbage
        self.unclaimed = unclaimed
        self.disk = disk
        self.resumable = resumable
        self.logger = logger
    }

    package var hold: Failure? { storage.hold }

    /// Cleans up regularly until a shutdown, which interrupts a sweep; the next start continues it, as after a crash. A
    /// fault is logged, and the work is tried again at the next sweep.
    package func run() async {
        var nextLook = ContinuousClock.now
        while !Task.isEnding {
            let faultCount = disk.reportCount
            do {
                let isLookDue = nextLook <= .now
                try await cancelWhenGracefulShutdown {
                    try await sweep()
                    guard isLookDue else { return }
                    try await unclaimed.look()
                    try await sweepArchives()
                }
                if isLookDue { nextLook = .now + .seconds(3600) }
            } catch {
                if disk.gate.pause == nil, !Task.isEnding {
                    logger.warning("sweeping failed", metadata: ["fault": "\(error)"])
                }
            }
            for second in 1...60 where !Task.isEnding {
                let isNeeded = disk.reportCount != faultCount || !store.abandoned.withLock(\.isEmpty)
                if second > 5, isNeeded, disk.gate.pause == nil { break }
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }

    /// Expires idle uploads and deletes files that are not referenced any longer, unless there is a ``hold``.
    ///
    /// - Throws: An error of one of the sweeps; the others have run all the same.
    package func sweep() async throws {
        guard hold == nil else { return }
        do {
            try await storage.age.tick()
        } catch let error where Failure(error).code == .diskFull {
            // The sweep frees space for it.
        }
        try await storage.sweeps.sweep { try await sweepAll() }
    }

    private func sweepAll() async throws {
        try await all(
            [
                posts.sweep, expiry.expireAbandoned, expiry.expireIdle, removeAbandonedParts,
                // Uploads that end here leave their files to the sweeps that follow.
                resumable.sweep, deletedPosts.sweep,
            ] + store.intakes.all.map { $0.sweep } + [
                garbage.collect, expiry.forgetEnded, expiry.forgetKeys, forgetNotifications,
            ])
    }

    /// Deletes archived files whose retention is over, unless there is a ``hold``.
    package func sweepArchives() async throws {
        guard hold == nil else { return }
        try await all(store.intakes.all.map { $0.sweepArchives })
    }

    /// Deletes old records of recipients of notifications that were withdrawn.
    private func forgetNotifications() async throws {
        try await WithdrawnNotifications(storage.tree).forget(now: store.now)
    }

    private func all(_ sweeps: [() async throws -> Void]) async throws {
        var fault: (any Error)?
        for sweep in sweeps {
            do { try await sweep() } catch { fault = fault ?? error }
        }
        if let fault { throw fault }
    }

    /// Deletes files that were being written by a process that died or could not delete them.
    private func removeAbandonedParts() async throws {
        let incoming = storage.incoming
        _ = try await FileThreads.run { () throws(FileError) in try StagedFile.removeAbandoned(in: incoming) }
    }
}
