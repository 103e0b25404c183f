package import API
import Logging
package import Model
package import Social
import Synchronization
import Tree
package import TreeModel

extension UploadStore {
    /// Makes a legal transition of an upload, durably, if the upload is in the expected state.
    ///
    /// - Parameters:
    ///   - failed: An upload from which this one takes over the client's reference.
    ///   - change: Changes the record; may be called several times.
    ///   - add: Adds further writes to the same update; may be called several times, too.
    /// - Throws: `Failure` `not_found` or `wrong_state`; `key_reused` if another upload has taken over the reference;
    ///   errors of `change`.
    @discardableResult
    func transition(
        _ id: PostID, from old: UploadState, to new: UploadState, replacing failed: UploadRecord? = nil,
        change: @escaping @Sendable (inout UploadRecord) throws -> Void = { _ in },
        add: @escaping @Sendable (TreeSnapshot, inout MultiPathUpdate) throws -> Void = { _, _ in }
    ) async throws -> UploadRecord {
        precondition(old.next.contains(new) || old == new, "there is no transition from \(old) to \(new)")
        let changed: UploadRecord = try await tree.transact(at: "\(old)-\(new)") { [clock] snapshot, update in
            guard var record = try snapshot.upload(id) else { throw Self.unknownUpload(id) }
            guard record.state == old else {
                throw Failure(
                    .wrongState, "upload \(id) is \(record.state.rawValue), not \(old.rawValue)",
                    hint: "Get its state and continue from there.")
            }
            try change(&record)
            if new == .ingested { try MentionSpan.requirePeople(record.mentions, in: snapshot) }
            record.state = new
            record.updatedAt = clock()
            update[UploadNodes.upload(id)] = try record.value()
            update[UploadNodes.queued(id)] = QueueEntry(record).value
            if old == .receiving, new != old, let file = try ResumableFile(id, in: snapshot) {
                update.endResumableFile(file)
            }
            // A photo that has moved to its draft can be looked up for as long as a failed upload.
            if new == .failed || new == .expired || record.draftPosition != nil && new.isTerminal {
                update[UploadNodes.ended(id)] = record.updatedAt.value
            }
            try Self.moveReference(of: record, replacing: failed, in: snapshot, &update)
            try add(snapshot, &update)
            return record
        }
        if new.isTerminal { queue.letOthersPass(id) }
        return changed
    }

    /// Frees the client's reference when an upload expires, or takes it over from a failed one.
    private static func moveReference(
        of record: UploadRecord, replacing failed: UploadRecord?, in snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws {
        guard let reference = record.clientReference, record.state == .expired || failed != nil else { return }
        let path = UploadNodes.reference(record.owner, try ClientReference.key(reference))
        let holder = try snapshot.get(path)
        if record.state == .expired, holder == .string(record.id.description) { update[path] = nil }
        guard let failed else { return }
        guard holder == .string(failed.id.description) else { throw Failure.keyReused(record.id) }
        update[path] = .string(record.id.description)
    }

    /// Acknowledges a reservation whose photos are all in the blob store; the rest happens in the background. Durable
    /// on return.
    ///
    /// - Parameters:
    ///   - clientTime: The time at which the post was made by the clock of the author's device; nil if it is not known.
    ///   - failed: A failed upload with the same reference, which names this upload from now on.
    /// - Throws: `Failure`: `empty_post`, `bad_text`, `bad_mention`, `wrong_state` if the reservation expired or was
    ///   used meanwhile, `key_reused` if another upload took over the reference.
    package func accept(
        _ id: PostID, photos: [UploadRecord.Photo], text: String, mentions: [MentionSpan.Claim] = [],
        at clientTime: Timestamp? = nil, replacing failed: UploadRecord? = nil
    ) async throws -> UploadRecord {
        try await acknowledge(id, from: .reserved, replacing: failed) { [clock] record in
            record.photos = [:]
            for (number, var photo) in photos.enumerated() {
                photo.alt = try PostText.requireAlt(photo.alt)
                record.photos[number] = photo
            }
            try record.say(text, mentioning: mentions)
            record.clientTimestamp = clientTime.map { min($0, clock()) }
            if record.clientReference != nil { record.fingerprint = RequestFingerprint(of: record) }
        }
    }

    func acknowledge(
        _ id: PostID, from state: UploadState, replacing failed: UploadRecord? = nil,
        change: @escaping @Sendable (inout UploadRecord) throws -> Void
    ) async throws -> UploadRecord {
        let record = try await transition(id, from: state, to: .ingested, replacing: failed) { record in
            try record.requireOwner()
            try change(&record)
            guard !record.photos.isEmpty || !record.text.isEmpty else {
                throw Failure(.emptyPost, "a post needs a photo or a text", hint: "Send at least one of them.")
            }
        }
        queue.push(id, of: record.owner, keepingOrder: intakes[record.intake].keepsOrder)
        counters.count(.ingested)
        return record
    }

    /// Ends an upload with a permanent failure, and makes its intake clean up.
    package func fail(_ id: PostID, from state: UploadState, with failure: Failure) async throws {
        let record = try await transition(id, from: state, to: .failed) { $0.error = failure }
        counters.count(.failed)
        logger.notice(
            "failed",
            metadata: [
                "upload": "\(id)", "owner": "\(record.owner)", "file": "\(record.sentNames)",
                "code": "\(failure.code.rawValue)",
                "reason": "\(failure.description.printable)",
            ])
        try await cleanUp(id)
    }

    /// Ends an abandoned reservation, draft or unfinished receipt, and frees its reference and its blobs, unless it has
    /// changed since `time`.
    package func expire(_ id: PostID, from state: UploadState, unlessChangedSince time: Timestamp = .max) async throws {
        struct SenderIsBack: Error {}
        do {
            try await transition(id, from: state, to: .expired) { record in
                if record.updatedAt > time { throw SenderIsBack() }
            }
        } catch is SenderIsBack {
            return
        }
        try await cleanUp(id)
    }

    /// Makes the janitor expire a reservation or a draft.
    package func abandonLater(_ id: PostID) {
        let now = now
        abandoned.withLock { $0[id] = now }
    }

    /// Stores a fault in the record, to show the upload's sender why it is delayed.
    func note(_ fault: Failure, attempt: Int, of id: PostID) async throws {
        try await tree.transact { snapshot, update in
            guard var record = try snapshot.upload(id), record.state == .ingested else { return }
            record.attempts = attempt
            record.error = fault
            update[UploadNodes.upload(id)] = try record.value()
        }
    }
}
