package import Posts
import Tree

extension UploadPipeline {
    /// Publishes a rendered upload: the post, its place among the author's posts and in the author's feed, its hashtags,
    /// the author where there was none, and the end of the upload's record, in one multi-path update.
    ///
    /// The author's copy in the post is what `people/` says at that moment: a name that changes in between is a failed
    /// precondition, and the update is made anew.
    func commit(_ record: UploadRecord) async throws {
        while true {
            let known = Person(uid: record.owner, record: try await tree.get(Paths.person(record.owner)))
            var record = record
            record.state = .published
            record.updatedAt = WallClock.milliseconds()
            record.error = nil
            let author = known ?? Person(uid: record.owner)
            let post = Post(
                id: record.id, author: author, text: record.text, timestamp: record.updatedAt,
                photos: record.orderedPhotos.compactMap(\.rendered), clientReference: record.clientReference)
            var update = MultiPathUpdate()
            try post.write(to: &update)
            if known == nil { author.write(to: &update) }
            for number in record.photos.keys { record.photos[number]?.rendered = nil }  // The post has it now.
            update[Paths.upload(record.id)] = try record.value()
            update[Paths.queued(record.id)] = record.door == .inbox ? "settling" : nil
            update.preconditions = [
                .equals(Paths.upload(record.id) / "state", .string(UploadState.ingested.rawValue)),
                .equals(Paths.person(record.owner) / "full_name", (known?.fullName).map(TreeValue.string)),
                .equals(Paths.person(record.owner) / "profile_picture", author.profilePicture.map(TreeValue.string)),
            ]
            if try await apply(update) { break }
            guard try await self.record(of: record.id)?.state == .ingested else { break }
        }
        queue.forget(record.id)
    }

    /// Ends an upload with a reason. What its sender gave is put aside for a person to find.
    package func fail(_ id: PostID, from state: UploadState, with verdict: PipelineError) async throws {
        guard var record = try await record(of: id) else { throw Self.unknownUpload(id) }
        record.error = verdict
        try await move(record, from: state, to: .failed)
        queue.forget(id)
        if record.door == .socket { try await settle(id) }
    }

    /// Ends a reservation or a draft that will never be finished, and frees its reference and its blobs.
    func expire(_ id: PostID, from state: UploadState) async throws {
        guard let record = try await record(of: id), record.state == state else { return }
        try await move(record, from: state, to: .expired)
        try await settle(id)
    }

    /// Makes one legal move of an upload, durably, if it still stands where the caller thinks.
    ///
    /// - Throws: `PipelineError` `wrong_state` when it does not.
    func move(_ record: UploadRecord, from old: UploadState, to new: UploadState) async throws {
        precondition(old.next.contains(new), "no such move: \(old) to \(new)")
        var record = record
        record.state = new
        record.updatedAt = WallClock.milliseconds()
        var update = MultiPathUpdate()
        update[Paths.upload(record.id)] = try record.value()
        update[Paths.queued(record.id)] = .string(new.isTerminal ? "settling" : new.rawValue)
        if new == .expired, let reference = record.clientReference {
            update[Paths.reference(record.owner, try Self.referenceKey(reference))] = nil
        }
        update.preconditions = [.equals(Paths.upload(record.id) / "state", .string(old.rawValue))]
        guard try await apply(update) else {
            let state = try await self.record(of: record.id)?.state.rawValue ?? "gone"
            throw PipelineError(
                .wrongState, "upload \(record.id) is \(state), not \(old.rawValue)",
                hint: "ask for its state and go on from there")
        }
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
