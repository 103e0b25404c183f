package import Blobs
package import Posts
import Tree

extension UploadPipeline {
    /// The number that the next photo of a draft gets; a number that is not used in the end leaves a harmless gap.
    ///
    /// - Throws: `PipelineError`: `not_found`, `wrong_state` when it is no draft any more, `too_many_photos`.
    package func nextPhotoNumber(of id: PostID) async throws -> Int {
        while true {
            let record = try await draft(id)
            guard record.photos.count < settings.maxPhotos else { throw tooManyPhotos() }
            let path = Paths.upload(id) / "next_photo"
            let next = try await tree.get(path)
            let number = Int(next?.integerValue ?? 0)
            var update = MultiPathUpdate(preconditions: [.equals(path, next), Self.isDraft(id)])
            update[path] = .integer(Int64(number + 1))
            if try await apply(update) { return number }
        }
    }

    /// Adds a photo to a draft: ingested and rendered, durable when it returns, not yet published.
    ///
    /// A photo that cannot be decoded is refused here, while its sender is still looking, and the draft stays as it was.
    package func add(
        _ staged: StagedFile, as number: Int, originalName: String, alt: String = "", to id: PostID
    ) async throws -> UploadRecord {
        let record = try await draft(id)
        let alt = try Self.checked(alt: alt)
        var photo = try await ingest(staged, as: number, originalName: originalName, of: record)
        photo.alt = alt
        do {
            photo.rendered = try await render(photo, number: number, of: record)
            try await note(photo, as: number, of: record)
        } catch {
            let (blobs, name) = (storage.blobs, try record.blobName(photo.fileName))
            try await onFileThread { try blobs.remove(name) }
            throw error
        }
        return try await draft(id)
    }

    /// Adds a photo to the record, unless the draft was published or filled up meanwhile.
    private func note(_ photo: UploadRecord.Photo, as number: Int, of record: UploadRecord) async throws {
        let photos = Paths.upload(record.id) / "photos"
        while true {
            let stored = try await tree.get(photos)
            guard stored?.object?.count ?? 0 < settings.maxPhotos else { throw tooManyPhotos() }
            var update = MultiPathUpdate(preconditions: [Self.isDraft(record.id), .equals(photos, stored)])
            update[photos / (try TreeKey(String(number)))] = try photo.value(owner: record.owner, post: record.id)
            update[Paths.upload(record.id) / "updated_at"] = .integer(WallClock.milliseconds())
            if try await step("draft-photo", { try await apply(update) }) { return }
            _ = try await draft(record.id)
        }
    }

    /// Notes what was sent with the draft's reference, once all of it has come.
    ///
    /// - Throws: `PipelineError`: `wrong_state` when it was published or expired meanwhile.
    package func note(_ fingerprint: RequestFingerprint, of id: PostID) async throws -> UploadRecord {
        var update = MultiPathUpdate(preconditions: [Self.isDraft(id)])
        update[Paths.upload(id) / "fingerprint"] = .string(fingerprint.hex)
        _ = try await apply(update)
        return try await draft(id)
    }

    /// Sends the text, and with it the draft on its way to become a post. Durable when it returns.
    ///
    /// - Parameters:
    ///   - text: Nil when the draft's own stays.
    ///   - alts: Alternative texts of the photos, in their order; photos beyond them keep their own.
    /// - Throws: `PipelineError`: `empty_post`, `bad_text` also for more alternative texts than photos, `wrong_state` when it
    ///   was published or expired meanwhile.
    package func publish(_ id: PostID, text: String?, alts: [String] = []) async throws {
        try await ingested(id, from: .draft) { try $0.describe(text: text, alts: alts) }
    }

    /// The refusal of a photo beyond the limit for one post.
    package func tooManyPhotos() -> PipelineError {
        PipelineError(
            .tooManyPhotos, "a post has at most \(settings.maxPhotos) photos",
            hint: "publish this one and begin another")
    }

    private func draft(_ id: PostID) async throws -> UploadRecord {
        guard let record = try await record(of: id) else { throw Self.unknownUpload(id) }
        guard record.state == .draft else {
            throw notDraft(id, "\(record.state.rawValue), no draft")
        }
        return record
    }

    private func notDraft(_ id: PostID, _ what: String) -> PipelineError {
        PipelineError(.wrongState, "upload \(id) is \(what)", hint: "reserve a new one with draft=true")
    }

    private static func isDraft(_ id: PostID) -> Precondition {
        .equals(Paths.upload(id) / "state", .string(UploadState.draft.rawValue))
    }
}

extension UploadRecord {
    /// Takes in what a draft is published with: a text, unless it is nil, and alternative texts of the photos, in their order;
    /// photos beyond these keep their own.
    ///
    /// - Throws: `PipelineError` `bad_text` for one that is none, or for more alternative texts than photos.
    package mutating func describe(text: String?, alts: [String]) throws(PipelineError) {
        if let text { self.text = try UploadPipeline.checked(text: text) }
        guard alts.count <= photos.count else {
            throw PipelineError(
                .badText, "there are \(alts.count) alternative texts, and \(photos.count) photos",
                hint: "give one for each photo, in their order")
        }
        for (number, alt) in zip(photos.keys.sorted(), alts) {
            photos[number]?.alt = try UploadPipeline.checked(alt: alt)
        }
    }
}
