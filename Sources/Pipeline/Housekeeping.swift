import Blobs
import Logging
package import Posts
import Tree

/// What is left over, and nobody's work any more: the sweeper's, now and then.
extension UploadPipeline {
    /// Whether a file from the inbox lies in the upload's folder: then it is no idle reservation, however old it is.
    func hasClaim(_ id: PostID) async throws -> Bool {
        let incoming = storage.incoming
        return try await onFileThread { try incoming.entry(id.description) != nil }
    }

    /// Deletes parts of what died and could not delete them, and puts aside claims that nobody works on: an upload needs its
    /// claim until it is settled.
    func tidyIncoming() async throws {
        let incoming = storage.incoming
        let folders = try await onFileThread {
            try incoming.removeDeadParts()
            return try incoming.entries().filter { $0.kind == .folder }
        }
        for folder in folders {
            guard let id = PostID(folder.name) else { continue }
            let record = try await record(of: id)
            if record?.state.isTerminal ?? true, try await tree.get(Paths.queued(id)) == nil {
                try await putAside(claim: folder.name, owner: record?.owner)
            }
        }
    }

    /// Moves a claim to `failed/`, with all that is in it: an empty one is deleted.
    private func putAside(claim name: String, owner: UserID?) async throws {
        let storage = storage
        let reason = PipelineError(
            .init(rawValue: "left_over"),
            "these files were left over by an upload that has ended, or that nobody knows",
            hint: "look into done/ and at the posts; what is missing there can be put into the inbox again")
        let isPutAside = try await onFileThread {
            // It may have come to its end since it was listed.
            guard try storage.incoming.entry(name) != nil else { return false }
            guard try !storage.incoming.folder(name).names().isEmpty else {
                try storage.incoming.remove(name)
                return false
            }
            let folder = try storage.failedFolder(of: reason.code, user: owner)
            let document = FailureReason(reason, user: owner, source: name, file: name, mark: name).json
            try folder.write(document, as: "\(name).reason.json", staging: storage.incoming)
            try storage.incoming.move(name, to: folder, as: name)
            return true
        }
        guard isPutAside else { return }
        logger.warning("tidied a claim that was left over", metadata: ["upload": "\(name)"])
    }

    /// Deletes the records of uploads that ended long ago without a post; their idempotency keys are free again.
    func forgetEnded() async throws {
        let deadline = WallClock.milliseconds() - settings.recordLifetime.milliseconds
        var range = KeyRange.all
        while true {
            let page = try await tree.children(of: Paths.ended, range: range, limit: 100)
            for child in page {
                // In the order of their beginnings; no end comes before its beginning.
                guard let id = PostID(child.key.description), id.timestampMilliseconds < deadline else { return }
                if child.value.integerValue ?? 0 < deadline { try await forget(id) }
            }
            guard page.count == 100, let last = page.last else { return }
            range = .after(last.key)
        }
    }

    /// Deletes the record of an upload that has ended, and frees its idempotency key, unless there is work to do for it.
    package func forget(_ id: PostID) async throws {
        guard try await tree.get(Paths.queued(id)) == nil else { return }
        var update = MultiPathUpdate(preconditions: [.absent(Paths.queued(id))])
        if let record = try await record(of: id), let reference = record.clientReference {
            let path = Paths.reference(record.owner, try Self.referenceKey(reference))
            if try await tree.get(path) == .string(id.description) { update[path] = nil }
        }
        update[Paths.upload(id)] = nil
        update[Paths.ended / id.key] = nil
        _ = try await step("forgotten") { try await apply(update) }
    }
}
