import API
import Model
import Tree

extension UploadRecord {
    /// The final size of an upload in several requests, in bytes; nil while it is incomplete.
    package var lastByte: Int? { draftPosition?.byteCount ?? photos[0]?.byteCount }
}

extension ResumableUploads {
    /// Begins a photo of a draft. Durable on return.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` if the upload is no longer a draft, `too_many_photos`; the
    ///   errors of ``begin(_:_:)``.
    package func begin(_ photo: Photo, of draft: UploadRecord, clientReference: String?) async throws -> Reservation {
        var request = UploadRequest(owner: draft.owner, intake: draft.intake)
        request.purpose = .draftPhoto
        request.clientReference = clientReference
        let known = try await holder(of: clientReference, draft.owner)
        let number =
            if let known, known.state != .failed, let place = known.draftPosition, place.id == draft.id {
                place.number
            } else {
                try await store.drafts.nextPhotoNumber(of: draft.id)
            }
        request.draftPosition = DraftPosition(id: draft.id, number: number)
        return try await begin(request, photo, knownAs: known)
    }

    /// Checks that the draft of a photo still exists; if it does not, the photo's upload fails.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state`.
    package func requireDraft(of record: UploadRecord) async throws {
        guard let place = record.draftPosition else { return }
        do {
            _ = try await store.drafts.record(of: place.id)
        } catch let error as Failure where !error.isTransient {
            try await files.withFile(record.id, isBrief: true) { [self] _ in try await fail(record.id, with: error) }
            throw error
        }
    }

    /// Adds a complete photo to its draft, and ends its upload, in one update: it is added only once, whatever is
    /// repeated. A photo that cannot be decoded fails, and the draft stays as it was.
    func add(_ record: UploadRecord, to place: DraftPosition, _ session: ResumableSession) async throws -> UploadRecord
    {
        var rendered: PhotoRecord?
        do {
            try record.requireOwner()
            let draft = try await store.drafts.record(of: place.id)
            var photo = try await photo(place.number, of: draft, session)
            photo = try await renditions.render(photo, number: place.number, of: draft, priority: .interactive)
            rendered = photo.rendered
            let added = try await end(record, with: photo, in: place)
            try await store.cleanUp(record.id)
            return added
        } catch {
            let failure = Failure(error)
            guard !failure.isTransient else { throw error }
            try await fail(record.id, with: failure)
            try await discard(place, rendered)
            throw failure
        }
    }

    private func end(
        _ record: UploadRecord, with photo: UploadRecord.Photo, in place: DraftPosition
    ) async throws -> UploadRecord {
        let failed = try await replaced(by: record)
        return try await store.transition(record.id, from: .receiving, to: .published, replacing: failed) { record in
            record.draftPosition?.byteCount = photo.byteCount
        } add: { [drafts = store.drafts] snapshot, update in
            try drafts.add(photo, as: place.number, to: place.id, in: snapshot, &update)
        }
    }

    /// Deletes the files of a photo that was not added to its draft. If a crash prevents that, they are deleted when
    /// the draft ends and lists unused files as garbage.
    private func discard(_ place: DraftPosition, _ rendered: PhotoRecord?) async throws {
        guard let draft = try await store.record(of: place.id) else { return }
        try await ingester.discard(place.number, rendered, of: draft)
        // If the draft has ended meanwhile, its files are deleted, including those of this photo.
        try await store.cleanUp(draft.id)
    }
}

extension UploadRecord {
    /// Records that the sender of an upload is active, so that neither the upload nor its draft expires.
    static func noteSender(
        of id: PostID, at time: Timestamp, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws(TreeError) {
        guard let record = try snapshot.upload(id), record.state == .receiving else { return }
        update[UploadNodes.upload(id) / "updated_at"] = time.value
        guard let draft = record.draftPosition?.id, try snapshot.upload(draft)?.state == .draft else { return }
        update[UploadNodes.upload(draft) / "updated_at"] = time.value
    }
}
