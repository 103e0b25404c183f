import Blobs
import Failpoints
import Logging
package import Posts
import Tree

extension UploadPipeline {
    /// Ends an upload with a reason. What its sender gave is put aside for a person to find.
    package func fail(_ id: PostID, from state: UploadState, with failure: PipelineError) async throws {
        let record = try await move(id, from: state, to: .failed) { $0.error = failure }
        outcomes.count(.failed)
        logger.notice(
            "failed",
            metadata: [
                "upload": "\(id)", "owner": "\(record.owner)", "code": "\(failure.code.rawValue)",
                "reason": "\(failure.description.printable)",
            ])
        if record.intake == .socket { try await cleanUp(id) }
    }

    /// Ends a reservation or a draft that will never be finished, and frees its reference and its blobs; unless somebody
    /// has gone on with it since `time`, in milliseconds since the epoch.
    func expire(_ id: PostID, from state: UploadState, leftAloneSince time: Int64 = .max) async throws {
        do {
            try await move(id, from: state, to: .expired) { record in
                if record.updatedAt > time { throw SenderIsBack() }
            }
        } catch is SenderIsBack {
            return
        }
        try await cleanUp(id)
    }

    private struct SenderIsBack: Error {}

    /// Makes one legal move of an upload, durably, if it stands where the caller thinks.
    ///
    /// Nothing that happens meanwhile is lost: the record must be what `change` was given, or it is read anew.
    ///
    /// - Parameter failed: An upload from which this one takes over the client's reference.
    /// - Throws: `PipelineError` `not_found` or `wrong_state`; `key_reused` when the reference has been taken over by
    ///   another; what `change` throws.
    @discardableResult
    func move(
        _ id: PostID, from old: UploadState, to new: UploadState, insteadOf failed: UploadRecord? = nil,
        change: (inout UploadRecord) throws -> Void = { _ in }
    ) async throws -> UploadRecord {
        precondition(old.next.contains(new) || old == new, "no such move: \(old) to \(new)")
        while true {
            let stored = try await tree.get(Paths.upload(id))
            guard var record = UploadRecord(id: id, value: stored) else { throw Self.unknownUpload(id) }
            guard record.state == old else {
                throw PipelineError(
                    .wrongState, "upload \(id) is \(record.state.rawValue), not \(old.rawValue)",
                    hint: "ask for its state and go on from there")
            }
            try change(&record)
            record.state = new
            record.updatedAt = WallClock.milliseconds()
            var update = MultiPathUpdate(preconditions: [.equals(Paths.upload(id), stored)])
            update[Paths.upload(id)] = try record.value()
            update[Paths.queued(id)] = QueueEntry(record).value
            if new == .failed || new == .expired { update[Paths.ended / id.key] = .integer(record.updatedAt) }
            if let reference = record.clientReference {
                let path = Paths.reference(record.owner, try Self.referenceKey(reference))
                let holder = try await tree.get(path)
                if new == .expired, holder == .string(id.description) { update[path] = nil }
                if let failed {
                    guard holder == .string(failed.id.description) else { throw Self.keyReused(id) }
                    update[path] = .string(id.description)
                    update.preconditions.append(.equals(path, holder))
                }
            }
            if try await step("\(old)-\(new)", { try await apply(update) }) { return record }
        }
    }

    /// Takes a step of an upload's life between the two sides of its failpoint; false when it was not taken.
    @discardableResult
    func step(_ place: String, _ apply: () async throws -> Bool) async throws -> Bool {
        let failure = Failpoint.step.pass(.before, at: place)
        guard failure == 0 else { throw BlobError(errno: failure, doing: "take the step \(place)") }
        guard try await apply() else { return false }
        _ = Failpoint.step.pass(.after, at: place)
        return true
    }

    /// Applies an update durably; false, and nothing written, when one of its preconditions does not hold.
    func apply(_ update: MultiPathUpdate) async throws(TreeError) -> Bool {
        do {
            try await tree.update(update)
            return true
        } catch {
            guard error.code == .preconditionFailed else { throw error }
            return false
        }
    }
}
