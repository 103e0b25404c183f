import Blobs
import Logging
import Posts
import ServiceLifecycle
import Synchronization
import Tree

extension UploadPipeline {
    /// Sweeps every minute, and some seconds after faults, which leave things behind, and looks through the blob store every
    /// hour for what nobody claims, until a shutdown. A fault is logged and met again at the next sweep.
    func sweepRegularly() async {
        var nextLook = ContinuousClock.now
        while !Task.isEnding {
            let faultCount = watch.reportCount
            do {
                try await sweep()
                if nextLook <= .now {
                    try await lookForUnclaimed()
                    try await sweepPutAway()
                    nextLook = .now + .seconds(3600)
                }
            } catch {
                if intake.pause == nil { logger.warning("sweeping failed", metadata: ["fault": "\(error)"]) }
            }
            for second in 1...60 where !Task.isEnding {
                if second > 5, watch.reportCount != faultCount || !abandoned.withLock(\.isEmpty), intake.pause == nil {
                    break
                }
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }

    /// Why nothing may be swept for now; nil while all may.
    package var sweepHold: SweepHold? {
        if let damage = tree.health.damage {
            return SweepHold(code: damage.code.rawValue, message: damage.message, hint: damage.hint ?? "")
        }
        return storage.age.mismatch.map { SweepHold(code: $0.code, message: $0.message, hint: AgeMismatch.hint) }
    }

    /// Expires what was left alone and deletes what nothing refers to any more, unless there is a ``sweepHold``.
    ///
    /// - Throws: What was in the way of one of these; it is not in the way of the others.
    package func sweep() async throws {
        guard sweepHold == nil else { return }
        var fault: (any Error)?
        for part in [
            storage.age.tick, sweepDeleted, expireAbandoned, expireReservations, tidyIncoming, collectGarbage,
            forgetEnded,
        ] {
            do { try await part() } catch { fault = fault ?? error }
        }
        if let fault { throw fault }
    }

    /// Ends uploads whose senders gave up while this could not be written down.
    private func expireAbandoned() async throws {
        for (id, time) in abandoned.withLock({ $0 }) {
            if let record = try await record(of: id) {
                // What the inbox could not give up, it goes on with.
                if [.reserved, .draft].contains(record.state), record.intake == .socket {
                    try await expire(id, from: record.state, leftAloneSince: time)
                } else {
                    try await cleanUp(id)
                }
            }
            abandoned.withLock { $0[id] = nil }
        }
    }

    private func expireReservations() async throws {
        let deadline = WallClock.milliseconds() - settings.draftLifetime.milliseconds
        for entry in try await queued() where entry.state != .ingested && entry.id.timestampMilliseconds < deadline {
            guard let record = try await record(of: entry.id), record.updatedAt < deadline else { continue }
            do {
                // It has ended, but what was to be tidied up then could not be.
                if record.state.isTerminal { try await cleanUp(record.id) }
                guard [.reserved, .draft].contains(record.state), try await !hasClaim(record.id) else { continue }
                try await expire(record.id, from: record.state, leftAloneSince: deadline)
                logger.info("expired", metadata: ["upload": "\(record.id)", "owner": "\(record.owner)"])
            } catch let error as PipelineError where error.code == .wrongState {
                continue  // Its sender went on with it in this very moment.
            }
        }
    }

    /// Deletes replaced blobs whose grace period is over; entries are in the order of time.
    private func collectGarbage() async throws {
        let now = WallClock.milliseconds()
        while true {
            let entries = try await tree.children(of: Paths.garbage, limit: 100)
            let due = entries.filter { ($0.value["after"]?.integerValue ?? 0) <= now }
            for entry in due {
                try await renditionsInFlux.withPermit { try await remove(entry) }
            }
            guard due.count == 100 else { return }
        }
    }

    private func remove(_ entry: TreeChild) async throws {
        let blobs = storage.blobs
        let names = (entry.value["blobs"]?.object ?? [:]).values.compactMap(\.stringValue)
        for name in names.compactMap({ try? BlobName($0) }) {
            if try await isReferred(to: name) { continue }
            try await onFileThread { try blobs.remove(name) }
        }
        try await step("collected") {
            try await tree.set(Paths.garbage / entry.key, to: nil)
            return true
        }
    }

    private func isReferred(to name: BlobName) async throws -> Bool {
        guard let id = PostID(name.postID), let post = try await tree.get(Paths.post(id)) else { return false }
        if let record = try await record(of: id), record.photos.values.contains(where: { $0.fileName == name.fileName })
        {
            return true  // An original is nothing that is ever replaced.
        }
        guard let photos = PostPhotos.read(post) else { return true }
        return photos.contains { $0.renditions.values.contains { $0.fileName == name.fileName } }
    }

    /// What to add to an update so that blobs are deleted after the grace period, unless their post names them then.
    ///
    /// - Returns: Where the list of them is; nil when there are none.
    @discardableResult
    func discard(_ blobs: [BlobName], in update: inout MultiPathUpdate) throws -> TreePath? {
        guard !blobs.isEmpty else { return nil }
        var names: [TreeKey: TreeValue] = [:]
        for (index, name) in blobs.enumerated() {
            names[try TreeKey(String(index))] = .string(name.description)
        }
        let path = Paths.garbage / ids.next().key
        update[path] = [
            "after": .integer(WallClock.milliseconds() + settings.gracePeriod.milliseconds), "blobs": .object(names),
        ]
        return path
    }
}

/// Why nothing is swept.
package struct SweepHold: Sendable, Hashable {
    /// For programs.
    package let code: String
    /// For people.
    package let message: String
    package let hint: String
}

extension Task where Success == Never, Failure == Never {
    /// Whether the service is to end, gracefully or because another part of it failed.
    package static var isEnding: Bool { isCancelled || isShuttingDownGracefully }
}

extension Duration {
    /// The whole milliseconds in it.
    package var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
