import Blobs
import Logging
import Posts
import ServiceLifecycle
import Tree

extension UploadPipeline {
    /// Sweeps every minute until a shutdown. A fault is logged and met again at the next sweep.
    func sweepRegularly() async {
        while !Task.isEnding {
            do {
                try await sweep()
            } catch {
                logger.warning("sweeping failed", metadata: ["fault": "\(error)"])
            }
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(60)) }
        }
    }

    /// Expires what was left alone and deletes what nothing refers to any more.
    package func sweep() async throws {
        try await expireReservations()
        try await collectGarbage()
    }

    private func expireReservations() async throws {
        let deadline = WallClock.milliseconds() - settings.draftLifetime.milliseconds
        for entry in try await queued()
        where entry.door != .inbox && (entry.state == .reserved || entry.state == .draft)
            && entry.id.timestampMilliseconds < deadline
        {
            guard let record = try await record(of: entry.id), record.door == .socket, record.updatedAt < deadline,
                [.reserved, .draft].contains(record.state)
            else { continue }
            do {
                try await expire(record.id, from: record.state)
                logger.info("expired", metadata: ["upload": "\(record.id)", "owner": "\(record.owner)"])
            } catch let error as PipelineError where error.code == .wrongState {
                continue  // Its sender came back in this very moment.
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
                try await renditionsInFlux.hold { try await remove(entry) }
            }
            guard due.count == 100 else { return }
        }
    }

    private func remove(_ entry: TreeChild) async throws {
        let blobs = storage.blobs
        for name in try (entry.value["blobs"]?.object ?? [:]).values.compactMap(\.stringValue).map(BlobName.init) {
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
        guard let photos = PostPhotos.read(post) else { return true }
        return photos.contains { $0.renditions.values.contains { $0.fileName == name.fileName } }
    }

    /// What to add to an update so that blobs which it replaces are deleted after the grace period.
    func discard(_ blobs: [BlobName], in update: inout MultiPathUpdate) throws {
        guard !blobs.isEmpty else { return }
        var names: [TreeKey: TreeValue] = [:]
        for (index, name) in blobs.enumerated() {
            names[try TreeKey(String(index))] = .string(name.description)
        }
        update[Paths.garbage / ids.next().key] = [
            "after": .integer(WallClock.milliseconds() + settings.gracePeriod.milliseconds), "blobs": .object(names),
        ]
    }
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
