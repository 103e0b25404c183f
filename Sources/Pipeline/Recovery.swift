import Blobs
import Logging
package import Posts
import Tree

extension UploadPipeline {
    /// Takes up what the last run left: whatever it was cut off at, `upload_queue` names it.
    ///
    /// Inbox uploads that were not acknowledged, or whose files are not put away yet, are the inbox watcher's to go on with.
    func recover() async throws {
        if let hold = sweepHold {
            logger.error(
                "nothing is swept: \(hold.message)", metadata: ["code": "\(hold.code)", "hint": "\(hold.hint)"])
        }
        guard tree.health.damage == nil else { return }
        var resumed = 0
        for entry in try await queued() {
            switch entry.state {
            case .ingested:
                guard let owner = try await owner(of: entry) else { continue }
                queue.push(entry.id, of: owner)
                resumed += 1
            case nil:
                if entry.intake != .inbox { try await cleanUp(entry.id) }
            default:
                break
            }
        }
        try await forgetPoison()
        logger.info("recovered", metadata: ["resumed": "\(resumed)"])
    }

    /// The uploads that still have work to do, oldest first.
    func queued() async throws -> [QueueEntry] {
        try await tree.children(of: Paths.queue).compactMap { QueueEntry($0) }
    }

    private func owner(of entry: QueueEntry) async throws -> UserID? {
        if let owner = entry.owner { return owner }
        return try await record(of: entry.id)?.owner
    }

    /// The uploads of an intake that still have work to do, oldest first.
    package func unfinished(from intake: Intake) async throws -> [UploadRecord] {
        var records: [UploadRecord] = []
        for entry in try await queued() where entry.intake == nil || entry.intake == intake {
            if let record = try await record(of: entry.id), record.intake == intake { records.append(record) }
        }
        return records
    }

    /// Tidies up after an upload that ended without a post, then forgets that there was something to do.
    ///
    /// The originals of a failed one are moved to `failed/{reason}/{uid}/`, with the reason beside them; renditions and the
    /// blobs of an expired one are deleted. Idempotent: a crash in the middle is made good at the next start.
    func cleanUp(_ id: PostID) async throws {
        try tree.health.check()
        guard let record = try await record(of: id), record.state.isTerminal,
            record.intake == .socket || record.state == .expired
        else { return }  // What came by the inbox, the inbox watcher puts away.
        let storage = storage
        try await onFileThread {
            if record.state == .failed { try Self.putAside(record, in: storage) }
            if ![.published, .deleted].contains(record.state) {
                try storage.blobs.removeAll(userID: record.owner.description, postID: id.description)
            }
        }
        try await finishCleanUp(id)
    }

    /// Notes that nothing is left to do for an upload that has ended.
    package func finishCleanUp(_ id: PostID) async throws {
        try await step("settled") {
            try await tree.set(Paths.queued(id), to: nil)
            return true
        }
    }

    /// As if it had been dropped: one photo under a name of its own with its text beside it, several in a folder `.post`.
    private static func putAside(_ record: UploadRecord, in storage: StorageFolder) throws {
        let photos = record.orderedPhotos
        guard let first = photos.first else { return }
        let folder = try storage.failedFolder(of: record.error?.code, user: record.owner)
        let stem = "upload\(record.id)"
        let name = photos.count == 1 ? "\(stem).\(first.fileName)" : "\(stem).post"
        try folder.write(FailureReason(record, file: name).json, as: "\(name).reason.json", staging: storage.incoming)
        let text: TreeValue? = record.text.isEmpty ? nil : ["text": .string(record.text)]
        if photos.count == 1 {
            if let text { try folder.write(text.json(), as: "\(name).json", staging: storage.incoming) }
            return try storage.blobs.release(record.blobName(first.fileName), to: folder, as: name)
        }
        let post = try folder.folder(name, create: true)
        if let text { try post.write(text.json(), as: "post.json", staging: storage.incoming) }
        for photo in photos { try storage.blobs.release(record.blobName(photo.fileName), to: post, as: photo.fileName) }
    }
}

extension StorageFolder {
    /// Ends reservations and drafts of a tree that is not of the age of the blobs, and touches no file: since the time of
    /// that tree they may have become posts, whose files they would take along when they expire.
    ///
    /// What lies in `incoming/` is unfinished for certain, and stays as it is.
    func forgetUnfinished() async throws {
        guard tree.health.damage == nil else { return }
        for entry in try await tree.children(of: Paths.queue).compactMap({ QueueEntry($0) }) {
            guard var record = UploadRecord(id: entry.id, value: try await tree.get(Paths.upload(entry.id))),
                [.reserved, .draft, .expired].contains(record.state), try incoming.entry(entry.id.description) == nil
            else { continue }
            record.state = .expired
            record.updatedAt = WallClock.milliseconds()
            var update = MultiPathUpdate()
            update[Paths.upload(entry.id)] = try record.value()
            update[Paths.queued(entry.id)] = nil
            update[Paths.ended / entry.id.key] = .integer(record.updatedAt)
            if let reference = record.clientReference {
                update[Paths.reference(record.owner, try UploadPipeline.referenceKey(reference))] = nil
            }
            try await tree.update(update)
        }
    }
}
