import Blobs
import Logging
package import Posts
import Tree

extension UploadPipeline {
    /// Takes up what the last run left: whatever it was cut off at, `upload_queue` names it.
    ///
    /// Inbox uploads that were not acknowledged, or whose files are not put away yet, are the inbox door's to go on with.
    func recover() async throws {
        var resumed = 0
        for (id, state) in try await queued() {
            guard let record = try await record(of: id) else { continue }
            switch record.state {
            case .ingested:
                queue.push(id, of: record.owner)
                resumed += 1
            case .published, .failed, .expired:
                if record.door == .socket, state == "settling" { try await settle(id) }
            case .reserved, .draft:
                break
            }
        }
        try await forgetPoison()
        logger.info("recovered", metadata: ["resumed": "\(resumed)"])
    }

    /// The uploads that still have work to do, oldest first, with the state under which they are queued.
    private func queued() async throws -> [(PostID, String)] {
        try await tree.children(of: Paths.queue).compactMap { child in
            PostID(child.key.description).map { ($0, child.value.stringValue ?? "") }
        }
    }

    /// The uploads of a door, or of all, that still have work to do, oldest first.
    package func unfinished(from door: Door? = nil) async throws -> [UploadRecord] {
        var records: [UploadRecord] = []
        for (id, _) in try await queued() {
            if let record = try await record(of: id), record.door == door ?? record.door { records.append(record) }
        }
        return records
    }

    /// Tidies up after an upload that ended without a post, then forgets that there was something to do.
    ///
    /// The originals of a failed one are moved to `failed/{uid}/`, with the reason beside them; renditions and the
    /// blobs of an expired one are deleted. Idempotent: a crash in the middle is made good at the next start.
    func settle(_ id: PostID) async throws {
        guard let record = try await record(of: id), record.state.isTerminal,
            record.door == .socket || record.state == .expired
        else { return }  // What came by the inbox, the inbox door puts away.
        let storage = storage
        try await onFileThread {
            if record.state == .failed { try Self.putAside(record, in: storage) }
            if record.state != .published {
                try storage.blobs.removeAll(userID: record.owner.description, postID: id.description)
            }
        }
        try await settled(id)
    }

    /// Notes that nothing is left to do for an upload that has ended.
    package func settled(_ id: PostID) async throws {
        try await step("settled") {
            try await tree.set(Paths.queued(id), to: nil)
            return true
        }
    }

    private static func putAside(_ record: UploadRecord, in storage: Storage) throws {
        guard !record.photos.isEmpty else { return }
        let folder = try storage.failed.folder(record.owner.description, create: true)
        try folder.write(FailureReason(record).json, as: "upload\(record.id).reason.json", staging: storage.incoming)
        for photo in record.orderedPhotos {
            try storage.blobs.release(
                record.blobName(photo.fileName), to: folder, as: "upload\(record.id).\(photo.fileName)")
        }
    }
}

/// What lies beside a photo that can never become a post.
package struct FailureReason: Sendable {
    /// The document: `code`, `message` and `hint`, the upload's id, its user, and what the files were called.
    package let json: [UInt8]

    /// Says why the upload failed.
    package init(_ record: UploadRecord) {
        let error = record.error
        let photos = record.orderedPhotos.map(\.originalName)
        var names: [TreeKey: TreeValue] = [:]
        for (index, name) in (photos.isEmpty ? [record.source].compactMap(\.self) : photos).enumerated() {
            if let key = try? TreeKey(String(index)) { names[key] = .string(name) }
        }
        let document: TreeValue = [
            "upload": .string(record.id.description), "user": .string(record.owner.description),
            "code": .string(error?.code.rawValue ?? "unknown"), "message": .string(error?.message ?? ""),
            "hint": .string(error?.hint ?? ""), "failed_at": .integer(record.updatedAt), "files": .object(names),
        ]
        json = document.json(pretty: true) + [UInt8(ascii: "\n")]
    }
}

extension PipelineError {
    /// What lies beside a file that was refused before it became an upload.
    package func document(of name: String) -> [UInt8] {
        let document: TreeValue = [
            "code": .string(code.rawValue), "message": .string(message), "hint": .string(hint), "file": .string(name),
            "failed_at": .integer(WallClock.milliseconds()),
        ]
        return document.json(pretty: true) + [UInt8(ascii: "\n")]
    }
}
